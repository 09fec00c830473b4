// SPDX-License-Identifier: LGPL-2.1-or-later
// Which pixels are features. Built with SUPPRESSION, the square of the distance up to which a feature
// suppresses weaker ones.
//
// The strongest by a radix search for the least key that is taken, eleven bits a pass. A key is a
// strength (positive floats sort as their bits do) above the pixel's number from the end: no two
// are equal, and among equal strengths the first in reading order is the greatest. The search ends
// once no more keys are as great than can be sorted, mostly after two passes.
//
// `zeroed` is 0 when a launch begins and when it ends: how many of its work-groups are done, how
// many keys were taken, and counts. The group that is done last goes on with what all have found.

#define BINS 2048
#define PASSES 6

// Where the search is: all keys that are greater than those with the prefix are taken, and of these
// as many as are wanted.
typedef struct {
  ulong prefix;
  uint wanted;
  int done;  // all keys that are no less than the prefix are few enough
} Search;

#define STATE_WORDS 4

// Strengths are positive: the first bit of a key is 0.
int shift_of(int pass) { return max(63 - 11 * (pass + 1), 0); }

ulong key_of(float strength, uint pixel) {
  return strength > 0 ? (ulong)as_uint(strength) << 32 | ~pixel : 0;
}

Search load_search(__global const uint* state) {
  const Search search = {(ulong)state[0] << 32 | state[1], state[2], state[3]};
  return search;
}

void store_search(Search search, __global uint* state) {
  state[0] = (uint)(search.prefix >> 32);
  state[1] = (uint)search.prefix;
  state[2] = search.wanted;
  state[3] = search.done;
}

typedef struct {
  __global const float* strength;
  long stride;
  int width, height, peaks_only;
} Candidates;

float strength_at(Candidates all, int x, int y) {
  const bool inside = x >= 0 && x < all.width && y >= 0 && y < all.height;
  return inside ? all.strength[y * all.stride + x] : 0;
}

// Pixels below each other that an item looks at together: what is a peak depends on neighbours.
#define RUN 8

int runs_of(Candidates all) { return (all.height + RUN - 1) / RUN * all.width; }

// The keys of a run that are candidates and have the prefix in their `known` bits, or are no less
// than the prefix where none are known; the others are 0. False: there are none.
bool find_keys(Candidates all, int run, ulong known, ulong prefix, ulong* keys) {
  const int x = run % all.width, first = run / all.width * RUN;
  float here[RUN + 2];
  bool found = false;
#pragma unroll
  for (int i = 0; i < RUN + 2; ++i) here[i] = strength_at(all, x, first + i - 1);
#pragma unroll
  for (int i = 0; i < RUN; ++i) {
    ulong key = key_of(here[i + 1], (uint)(first + i) * (uint)all.width + (uint)x);
    if (known ? (key & known) != prefix : key < prefix) key = 0;
    keys[i] = key;
    found |= key != 0;
  }
  if (!found || !all.peaks_only) return found;
  float left[RUN + 2], right[RUN + 2];
#pragma unroll
  for (int i = 0; i < RUN + 2; ++i) {
    left[i] = strength_at(all, x - 1, first + i - 1);
    right[i] = strength_at(all, x + 1, first + i - 1);
  }
  found = false;
#pragma unroll
  for (int i = 1; i <= RUN; ++i) {
    const float before = fmax(fmax(left[i - 1], here[i - 1]), fmax(right[i - 1], left[i]));
    const float behind = fmax(fmax(right[i], left[i + 1]), fmax(here[i + 1], right[i + 1]));
    if (!(here[i] > before && here[i] >= behind)) keys[i - 1] = 0;
    found |= keys[i - 1] != 0;
  }
  return found;
}

// Counts the candidates' keys that have the prefix by their next bits. Every `step`-th run.
void count_keys(Candidates all, Search search, int pass, int first, int step, __local uint* bins) {
  for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int shift = shift_of(pass);
  const ulong known = pass == 0 ? 0 : ~0ul << shift_of(pass - 1);
  const uint mask = pass == PASSES - 1 ? (1u << shift_of(PASSES - 2)) - 1 : BINS - 1;
  for (int run = first; run < runs_of(all); run += step) {
    ulong keys[RUN];
    if (!find_keys(all, run, known, search.prefix, keys)) continue;
#pragma unroll
    for (int i = 0; i < RUN; ++i) {
      if (keys[i] != 0) atomic_inc(bins + ((uint)(keys[i] >> shift) & mask));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Whether all other work-groups have come here before, with what they wrote. `zeroed` counts them.
bool is_last(__global volatile uint* zeroed, __local uint* shared) {
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    *shared = atomic_inc(zeroed) == get_num_groups(0) - 1;
    if (*shared) *zeroed = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const bool last = *shared;
  barrier(CLK_LOCAL_MEM_FENCE);
  return last;
}

// Finds the bin in which the least key is. An item looks at some bins, the first one at the
// greatest. `shared`: two more than there are items.
Search narrow(Search search, int pass, uint count, uint capacity, __local const uint* bins,
              __local uint* shared) {
  const int item = get_local_id(0), items = get_local_size(0);
  const int each = (BINS + items - 1) / items;
  const int end = max(BINS - item * each, 0), begin = max(end - each, 0);
  __local uint* const found = shared + items;  // the bin, and how many keys are greater
  uint own = 0;
  for (int bin = begin; bin < end; ++bin) own += bins[bin];
  shared[item] = own;
  if (item == 0) found[0] = BINS;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < items; step *= 2) {  // sums of all items up to each
    const uint other = item >= step ? shared[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[item] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint greater = shared[item] - own;
  if (greater < search.wanted && greater + own >= search.wanted) {
    int bin = end - 1;
    while (greater + bins[bin] < search.wanted) greater += bins[bin--];
    found[0] = bin;
    found[1] = greater;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (found[0] == BINS) {  // there are fewer than wanted
    search.done = 1;
  } else {
    const uint held = count - search.wanted + found[1] + bins[found[0]];
    search.prefix |= (ulong)found[0] << shift_of(pass);
    search.wanted -= found[1];
    search.done = held <= capacity || pass == PASSES - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return search;
}

// The first pass or the second. Where many keys are so alike that these do not do, the last group
// makes all others alone.
__kernel void select_count(__global const float* strength, ulong offset, long stride, int width,
                           int height, int peaks_only, __global uint* state, ulong state_offset,
                           __global volatile uint* zeroed, int pass, uint count, uint capacity,
                           __local uint* bins, __local uint* shared) {
  const Candidates all = {strength + offset, stride, width, height, peaks_only};
  Search search = {0, count, 0};
  if (pass > 0) search = load_search(state + state_offset);
  if (search.done) return;
  __global volatile uint* all_bins = zeroed + 2;
  bool alone = false;
  for (;; ++pass) {
    count_keys(all, search, pass, alone ? get_local_id(0) : get_global_id(0),
               alone ? get_local_size(0) : get_global_size(0), bins);
    if (!alone) {
      for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) {
        if (bins[i] != 0) atomic_add(all_bins + i, bins[i]);
      }
      if (!is_last(zeroed, shared)) return;
      for (int i = get_local_id(0); i < BINS; i += get_local_size(0))
        bins[i] = atomic_xchg(all_bins + i, 0);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    search = narrow(search, pass, count, capacity, bins, shared);
    if (search.done || pass == 0) break;
    alone = true;
  }
  if (get_local_id(0) == 0) store_search(search, state + state_offset);
}

// Sorts `size` keys, a power of two, the greatest first.
void sort_keys(__local ulong* keys, int size) {
  for (int half_sorted = 2; half_sorted <= size; half_sorted *= 2) {  // bitonic
    for (int step = half_sorted / 2; step > 0; step /= 2) {
      for (int pair = get_local_id(0); pair < size / 2; pair += get_local_size(0)) {
        const int i = 2 * pair - (pair & (step - 1)), other = i + step;
        const ulong a = keys[i], b = keys[other];
        if ((i & half_sorted) == 0 ? a < b : a > b) {
          keys[i] = b;
          keys[other] = a;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// Whether two keys that hold their pixels' x and y are neighbours.
bool are_near(ulong a, ulong b) {
  const int dx = (int)(a & 0xffff) - (int)(b & 0xffff);
  const int dy = (int)(a >> 16 & 0xffff) - (int)(b >> 16 & 0xffff);
  return dx * dx + dy * dy <= SUPPRESSION;
}

#define CHUNK 32  // keys, one for each bit

// Which of the keys of a chunk have no stronger neighbour among those that stay. Keys that are 0
// are none. `shared`: CHUNK + 2.
uint keep_of_chunk(__local const ulong* keys, int size, __local uint* shared) {
  __local uint* const kept = shared + CHUNK;
  __local uint* const open = kept + 1;  // with neighbours, which may go or stay
  const int item = get_local_id(0), items = get_local_size(0);
  for (int i = item; i < CHUNK + 2; i += items) shared[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int pair = item; pair < size * CHUNK; pair += items) {
    const int i = pair / CHUNK, j = pair % CHUNK;
    if (j >= i || keys[i] == 0 || keys[j] == 0) continue;
    if (are_near(keys[i], keys[j])) atomic_or(shared + i, 1u << j);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < size; i += items) {
    if (keys[i] == 0) continue;
    if (shared[i] != 0) {
      atomic_or(open, 1u << i);
    } else {
      atomic_or(kept, 1u << i);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint stay = *kept;
  for (uint left = *open; left != 0; left &= left - 1) {
    const uint bit = left & -left;
    if ((shared[31 - clz(bit)] & stay) == 0) stay |= bit;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return stay;
}

// Collects the keys that are taken, in any order. The last group sorts them, drops what has a
// stronger neighbour, and writes the rest. `keys` holds `capacity`, a power of two.
__kernel void select_finish(__global const float* strength, ulong offset, long stride, int width,
                            int height, int peaks_only, __global volatile uint* state,
                            ulong state_offset, __global volatile uint* zeroed, uint count,
                            __global float* features, ulong features_offset, __local ulong* keys,
                            __local uint* shared) {
  const Candidates all = {strength + offset, stride, width, height, peaks_only};
  const ulong least = load_search((__global const uint*)state + state_offset).prefix;
  __global volatile uint* found = state + state_offset + STATE_WORDS;
  for (int run = get_global_id(0); run < runs_of(all); run += get_global_size(0)) {
    ulong candidates[RUN];
    if (!find_keys(all, run, 0, least, candidates)) continue;
#pragma unroll
    for (int i = 0; i < RUN; ++i) {
      if (candidates[i] == 0) continue;
      const uint at = atomic_inc(zeroed + 1);
      found[2 * at] = (uint)(candidates[i] >> 32);
      found[2 * at + 1] = (uint)candidates[i];
    }
  }
  if (!is_last(zeroed, shared)) return;

  const int item = get_local_id(0), items = get_local_size(0);
  const int collected = zeroed[1], taken = min(collected, (int)count);
  int size = 1;
  while (size < collected) size *= 2;
  for (int i = item; i < size; i += items)
    keys[i] = i < collected ? (ulong)found[2 * i] << 32 | found[2 * i + 1] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) zeroed[1] = 0;
  sort_keys(keys, size);
  for (int i = item; i < taken; i += items) {
    const uint pixel = ~(uint)keys[i];
    keys[i] = keys[i] >> 32 << 32 | pixel / width << 16 | pixel % width;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  features += features_offset;
  int written = 0;
  for (int first = 0; first < taken; first += CHUNK) {
    __local const ulong* chunk = keys + first;
    const uint stay = keep_of_chunk(chunk, min(CHUNK, taken - first), shared);
    for (int i = item; i < CHUNK; i += items) {
      if (!(stay >> i & 1)) continue;
      __global float* feature = features + 3 * (written + popcount(stay & ((1u << i) - 1)));
      feature[0] = (uint)chunk[i] & 0xffff;
      feature[1] = (uint)chunk[i] >> 16;
      feature[2] = as_float((uint)(chunk[i] >> 32));
    }
    for (int i = first + CHUNK + item; i < taken; i += items) {
      const ulong key = keys[i];
      uint near = 0;  // what goes is compared too: without branches it takes less time
#pragma unroll
      for (int j = 0; j < CHUNK; ++j) near |= are_near(key, chunk[j]) ? 1u << j : 0;
      if (near & stay) keys[i] = 0;
    }
    written += popcount(stay);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 3 * written + item; i < 3 * (int)count; i += items) features[i] = 0;
}
