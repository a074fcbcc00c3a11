#include "check/memory_sample.h"

#include <gtest/gtest.h>

#include <random>

#include "check/sound_tree.h"

namespace dormouse::test {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

std::string noise(std::size_t bytes) {
  std::mt19937_64 random(7);
  std::string text(bytes, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

PackedSample sampled(const SoundTree& tree, SampleOptions options = {}) {
  options.most_ns = 60'000'000'000;  // a slow machine is none of these tests' business
  return pack_sample({{.id = CodecId::kLz4, .level = 1}, {.id = CodecId::kZstd, .level = 3}}, options,
                     tree.host);
}

TEST(MemorySample, NoiseDoesNotPack) {
  const SoundTree tree;
  tree.process_memory(1, noise(4 * kMiB));
  const auto sample = sampled(tree);
  EXPECT_EQ(sample.bytes, 256 * 64 * 1024U);
  EXPECT_EQ(sample.ratios, (std::vector<double>{1.0, 1.0}));
}

TEST(MemorySample, ZeroPagesDo) {
  const SoundTree tree;
  tree.process_memory(1, std::string(4 * kMiB, '\0'));
  const auto sample = sampled(tree);
  EXPECT_GT(sample.bytes, 0U);
  EXPECT_LT(sample.ratios[0], 0.02);
  EXPECT_LT(sample.ratios[1], sample.ratios[0]);
}

TEST(MemorySample, EachProcessCountsByItsShare) {
  const SoundTree tree;
  tree.process(7, "zeros");
  tree.process(8, "noise");
  tree.process_memory(7, std::string(6 * kMiB, '\0'));
  tree.process_memory(8, noise(2 * kMiB));
  const auto sample = sampled(tree);
  EXPECT_NEAR(sample.ratios[0], 0.25, 0.02);
}

TEST(MemorySample, IsTheSameEachTime) {
  const SoundTree tree;
  tree.process_memory(1, noise(kMiB) + std::string(kMiB, 'a'));
  EXPECT_EQ(sampled(tree).ratios, sampled(tree).ratios);
}

TEST(MemorySample, WhatIsSwappedOutIsNotFetched) {
  const SoundTree tree;
  tree.process_memory(1, noise(kMiB), /*in_memory=*/false);
  EXPECT_EQ(sampled(tree).bytes, 0U);
}

TEST(MemorySample, OnlyMemoryOfTheProcessItselfIsRead) {
  const SoundTree tree;
  for (const auto* line :
       {"10000-110000 rw-s 00000000 00:06 77 /dev/dri/card0\n", "10000-110000 r--p 00000000 fe:01 9 /bin/x\n",
        "10000-110000 ---p 00000000 00:00 0\n", "10000-110000 r--p 00000000 00:00 0 [vvar]\n",
        "110000-10000 rw-p 00000000 00:00 0\n", "rubbish\n"}) {
    tree.process_memory(1, noise(kMiB));
    tree.write("proc/1/maps", line);
    EXPECT_EQ(sampled(tree).bytes, 0U) << line;
  }
}

TEST(MemorySample, OfAMachineWithoutProcessesIsEmpty) {
  const SoundTree tree;
  tree.remove("proc");
  EXPECT_EQ(sampled(tree).bytes, 0U);
}

TEST(MemorySample, StopsInTime) {
  const SoundTree tree;
  tree.process_memory(1, noise(4 * kMiB));
  EXPECT_EQ(pack_sample({{.id = CodecId::kLz4, .level = 1}}, {.most_ns = 0}, tree.host).bytes, 0U);
}

}  // namespace
}  // namespace dormouse::test
