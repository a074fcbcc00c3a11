#include "check/sound_boot.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include "support/newc_writer.h"

namespace dormouse::test {

SoundBoot::SoundBoot() {
  machine.add({.name = "vda", .major = 254, .minor = 0});
  machine.add({.name = "vda2", .major = 254, .minor = 2, .disk = "vda"}, swap_content());
  machine.add({.name = "vda3", .major = 254, .minor = 3, .disk = "vda"}, swap_content({.uuid_seed = 16}));
  machine.file("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
  machine.file("etc/suspend.conf", "resume device = /dev/vda2\n");
  line("root=/dev/vda1 quiet");
  initramfs({});
  target = {.path = machine.node("vda2"), .device_number = ::gnu_dev_makedev(254, 2), .active = true};
}

void SoundBoot::initramfs(const InitramfsShape& shape) const {
  NewcWriter writer;
  if (shape.initramfs_tools) writer.directory("scripts");
  if (shape.resume) writer.add("usr/lib/dormouse/resume", "ELF", shape.resume_mode);
  if (shape.script) writer.add("scripts/local-premount/dormouse", "#!/bin/sh\n", shape.script_mode);
  if (!shape.order.empty()) writer.add("scripts/local-premount/ORDER", shape.order);
  if (shape.has_config) writer.add("etc/suspend.conf", shape.config);
  if (!shape.noted_offset.empty())
    writer.add("conf/dormouse-device", "/dev/vda2\n").add("conf/dormouse-offset", shape.noted_offset);
  if (!shape.settings.empty()) writer.add("conf/conf.d/resume", shape.settings);
  if (shape.systemd) writer.add("usr/lib/systemd/systemd-hibernate-resume", "ELF", 0100755);
  machine.file("boot/initrd.img-6.1.0-40-amd64", writer.finish());
}

void SoundBoot::line(const std::string& text) const {
  machine.file("boot/grub/grub.cfg",
               fmt::format("set default=\"0\"\nmenuentry 'Debian' {{\n  linux /vmlinuz-6.1.0-40-amd64 {}\n"
                           "  initrd /initrd.img-6.1.0-40-amd64\n}}\n",
                           text));
}

Findings SoundBoot::check() {
  const Host host = machine.host();
  return check_boot({.settings = settings, .host = host, .page_bytes = 4096, .target = target});
}

std::vector<std::string> SoundBoot::unusual() {
  std::vector<std::string> ids;
  for (const Finding& finding : check()) {
    if (finding.severity != Finding::Severity::kNote) ids.emplace_back(finding.id);
  }
  return ids;
}

}  // namespace dormouse::test
