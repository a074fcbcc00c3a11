#include "crash/shapes.h"

#include "image/image_bed.h"

namespace dormouse::test {

Shape small_shape() {
  return {.name = "small",
          .machine = {.image_pages = 48, .swap_pages = 128, .fragmentation_seed = 3, .used_slots = 20},
          .options = {.codec = kLz4, .chunk_bytes = 2 * 4096}};
}

std::vector<Shape> suspend_shapes() {
  return {
      {.name = "lz4, 4-page chunks, one map page",
       .machine = {.image_pages = 240, .swap_pages = 400},
       .options = {.codec = kLz4, .chunk_bytes = 4 * 4096}},
      {.name = "lzf, 2-page chunks, several map pages, a swap file among others",
       .machine = {.image_pages = 300,
                   .header_page = 17,
                   .swap_pages = 512,
                   .fragmentation_seed = 7,
                   .used_slots = 90},
       .options = {.codec = kLzf, .chunk_bytes = 2 * 4096, .threads = 2},
       .spare_pages = 9},
      {.name = "stored, one-page chunks, several map pages",
       .machine = {.image_pages = 160, .swap_pages = 256, .used_slots = 40},
       .options = {.codec = kNone, .chunk_bytes = 4096, .early_writeout = {.millionths = 0}}},
      {.name = "zstd, 16-page chunks, scattered",
       .machine = {.image_pages = 512, .swap_pages = 700, .fragmentation_seed = 11, .used_slots = 150},
       .options = {.codec = kZstd, .chunk_bytes = 16 * 4096}},
      {.name = "lz4, pages of 16 KiB",
       .machine = {.page_bytes = 16384, .image_pages = 96, .swap_pages = 128, .fragmentation_seed = 5},
       .options = {.codec = kLz4, .chunk_bytes = 4 * 16384}},
  };
}

std::vector<Shape> store_shapes() {
  return {
      {.name = "lz4, 16-page chunks, bad pages",
       .machine = {.image_pages = 300, .swap_pages = 400},
       .options = {.codec = kLz4, .chunk_bytes = 16 * 4096},
       .bad_pages = {1, 5, 6, 40, 41, 42, 100, 399}},
      {.name = "zstd, 2-page chunks, several map pages, bad pages, a swap file among others",
       .machine = {.image_pages = 300, .header_page = 23, .swap_pages = 400},
       .options = {.codec = kZstd, .chunk_bytes = 2 * 4096, .threads = 2},
       .bad_pages = {2, 3, 77},
       .spare_pages = 5},
      {.name = "stored, 32-page chunks, extents that spill over map pages",
       .machine = {.image_pages = 480, .swap_pages = 512, .fragmentation_seed = 13},
       .options = {.codec = kNone, .chunk_bytes = 32 * 4096},
       .longest_run = 1},
      {.name = "lzf, 8-page chunks, pages of 16 KiB, scattered",
       .machine = {.page_bytes = 16384, .image_pages = 80, .swap_pages = 100, .fragmentation_seed = 17},
       .options = {.codec = kLzf, .chunk_bytes = 8 * 16384},
       .longest_run = 3},
  };
}

}  // namespace dormouse::test
