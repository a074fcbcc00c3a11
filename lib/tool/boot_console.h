/// The person at a machine that boots, reached by the tools' own messages and a countdown.
#pragma once

#include <string_view>

#include "console/countdown_prompt.h"
#include "console/message_output.h"
#include "cycle/resume_policy.h"

namespace dormouse {

class CountdownConsole final : public BootConsole {
 public:
  /// Every question answers itself after `seconds`. `out` must live as long.
  CountdownConsole(std::string_view tool, MessageOutput& out, CountdownPrompt prompt, unsigned seconds)
      : tool_(tool), out_(out), prompt_(prompt), seconds_(seconds) {}

  void say(std::string_view line) override;
  [[nodiscard]] Answer ask(const BootQuestion& question) override;

 private:
  std::string_view tool_;
  MessageOutput& out_;
  CountdownPrompt prompt_;
  unsigned seconds_;
};

/// For a machine so short of everything that even a console cannot be set up: says what it can, asks nobody.
class SilentConsole final : public BootConsole {
 public:
  explicit SilentConsole(std::string_view tool) : tool_(tool) {}
  void say(std::string_view line) override;
  [[nodiscard]] Answer ask(const BootQuestion&) override { return Answer::kDefault; }

 private:
  std::string_view tool_;
};

}  // namespace dormouse
