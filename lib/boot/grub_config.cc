#include "boot/grub_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

using Words = std::vector<std::string>;

/// Splits a line as a shell would, without expanding anything; a comment ends it.
Words split(std::string_view line) {
  Words words;
  bool open = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\r')) {
      open = false;
      continue;
    }
    if (quote == 0 && c == '#' && !open) break;
    if (!open) words.emplace_back();
    open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// The value of a name in grubenv's block.
std::string environment_value(std::string_view block, std::string_view name) {
  while (!block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    const std::string_view line = block.substr(0, end);
    block.remove_prefix(std::min(end + 1, block.size()));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return std::string(line.substr(name.size() + 1));
  }
  return {};
}

/// A menu, or the entry at its end.
struct Node {
  std::string title;
  std::string id;
  std::optional<std::size_t> entry;  // index into BootMenu::entries; none: a submenu
  std::vector<Node> children;
};

class Parser {
 public:
  Parser(std::string_view environment, std::string_view path) : environment_(environment), path_(path) {
    open_.push_back(&root_);
  }

  void line(std::string_view text) {
    ++number_;
    const Words words = split(text);
    if (words.empty()) return;
    const std::string& command = words.front();
    if (command == "}") {
      close();
    } else if (words.back() == "{") {
      open(words);
    } else if (entry_ != nullptr) {
      content(words);
    } else if (command == "set" && words.size() > 1) {
      set(words[1]);
    }
  }

  BootMenu finish() {
    std::string wanted = environment_value(environment_, "next_entry");
    if (wanted.empty()) wanted = default_;
    if (wanted == "${saved_entry}" || wanted == "$saved_entry") {
      wanted = environment_value(environment_, "saved_entry");
      if (wanted.empty()) wanted.push_back('0');  // the first
    }
    menu_.chosen = find(wanted);
    return std::move(menu_);
  }

 private:
  void open(const Words& words) {
    const bool is_entry = words.front() == "menuentry";
    const bool is_submenu = words.front() == "submenu";
    // Children of one node do not move while one of them is open: only the innermost grows.
    if ((!is_entry && !is_submenu) || words.size() < 3 || open_.back() == nullptr) {
      open_.push_back(nullptr);  // a function, or something else with a body
      return;
    }
    Node node{.title = words[1], .id = {}, .entry = std::nullopt, .children = {}};
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
      if (words[i] == "--id" || words[i] == "$menuentry_id_option" || words[i] == "${menuentry_id_option}")
        node.id = words[i + 1];
    }
    if (is_entry) {
      node.entry = menu_.entries.size();
      menu_.entries.push_back({.title = node.title, .place = fmt::format("{}:{}", path_, number_)});
      entry_ = &menu_.entries.back();
    }
    open_.back()->children.push_back(std::move(node));
    open_.push_back(&open_.back()->children.back());
  }

  void close() {
    if (open_.size() > 1) {
      if (open_.back() != nullptr && open_.back()->entry) entry_ = nullptr;
      open_.pop_back();
    }
  }

  void content(const Words& words) {
    const std::string& command = words.front();
    if (command.starts_with("linux") && words.size() > 1) {
      entry_->kernel = words[1];
      entry_->line = fmt::format("{}", fmt::join(words.begin() + 2, words.end(), " "));
    } else if (command.starts_with("initrd")) {
      entry_->initramfs.insert(entry_->initramfs.end(), words.begin() + 1, words.end());
    }
  }

  void set(const std::string& assignment) {
    constexpr std::string_view kName = "default=";
    if (!assignment.starts_with(kName)) return;
    // grub-mkconfig writes both ways; which one is taken depends on grubenv alone, see finish().
    if (assignment.find("next_entry") == std::string::npos) default_ = assignment.substr(kName.size());
  }

  /// By "1>2", by titles or by ids, each level in its own way; what follows an entry is of no matter.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view wanted) const {
    const Node* node = &root_;
    while (!node->entry) {
      const std::size_t end = std::min(wanted.find('>'), wanted.size());
      const std::string_view level = wanted.substr(0, end);
      wanted.remove_prefix(std::min(end + 1, wanted.size()));
      node = child(*node, level.empty() ? "0" : level);
      if (node == nullptr) return std::nullopt;
    }
    return node->entry;
  }

  static const Node* child(const Node& menu, std::string_view wanted) {
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    if (problem == std::errc{} && end == wanted.data() + wanted.size())
      return index < menu.children.size() ? &menu.children[index] : nullptr;
    for (const Node& node : menu.children) {
      if (node.id == wanted || node.title == wanted) return &node;
    }
    return nullptr;
  }

  std::string_view environment_;
  std::string_view path_;
  std::size_t number_ = 0;
  BootMenu menu_;
  Node root_;
  std::vector<Node*> open_;  // from the root to the innermost; null: a body that is no menu
  BootEntry* entry_ = nullptr;
  std::string default_ = "0";
};

}  // namespace

BootMenu parse_grub_config(std::string_view config, std::string_view environment, std::string_view path) {
  Parser parser(environment, path);
  while (!config.empty()) {
    const std::size_t end = std::min(config.find('\n'), config.size());
    parser.line(config.substr(0, end));
    config.remove_prefix(std::min(end + 1, config.size()));
  }
  return parser.finish();
}

}  // namespace dormouse
