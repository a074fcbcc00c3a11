/// One try of `resume` to load an image into the kernel and jump, as the boot policy asks for it.
#pragma once

#include <memory>

#include "dormouse/progress.h"

#include "config/settings.h"
#include "cycle/resume_policy.h"
#include "kernel/host.h"
#include "marked_area.h"
#include "report/report.h"
#include "tool/tool_console.h"
#include "unlock.h"

namespace dormouse {

class MachineLoader final : public ImageLoader {
 public:
  /// `console`: where there is one, null else. All must live as long.
  MachineLoader(const Settings& settings, MarkedArea& marked, ToolConsole* console, Report& report,
                const Host& host)
      : settings_(settings), marked_(marked), console_(console), report_(report), host_(host) {}

  /// A sealed image is opened by the key files of the configuration; where none does, a person is asked,
  /// while the image is read ahead.
  Error load(const ImageInfo& image, const TryCounter& count) override;
  [[nodiscard]] bool left_locked() const override { return left_locked_; }

 private:
  Error load_sealed(const ImageInfo& image, const TryCounter& count);
  Error load_while_asking(ImageReader& reader, const TryCounter& count);
  Result<ImageReader> prepare_for(const ImageInfo& image, std::uint64_t ahead_bytes);
  Error jump_from(ImageReader& reader, Progress& shown, KeyGate* gate);
  [[nodiscard]] Progress& progress();
  void say(std::string_view line);

  const Settings& settings_;
  MarkedArea& marked_;
  ToolConsole* console_;
  Report& report_;
  const Host& host_;
  NoProgress no_progress_;
  CycleObserver nobody_;
  bool left_locked_ = false;
};

}  // namespace dormouse
