/* What compiled kernels need in a page: memory, Numba's arrays, and NumPy's generator PCG64.

   The generator follows NumPy (numpy/random/src/pcg64, bit_generator.pyx): its draws are the same to the last
   bit. Memory is given out one piece after another and taken back by `release`, all after a mark at once. */

typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef unsigned int u32;
typedef unsigned long usz;
#define EXPORT(name) __attribute__((export_name(#name)))

/* Memory */

extern unsigned char __heap_base;
static usz top;

EXPORT(mark) usz mark(void) {
  if (!top) top = ((usz)&__heap_base + 15) & ~(usz)15;
  return top;
}

EXPORT(release) void release(usz at) { top = at; }

EXPORT(alloc) usz alloc(usz bytes) {
  usz at = mark(), pages = __builtin_wasm_memory_size(0);
  top += (bytes + 15) & ~(usz)15;
  if (top > pages * 65536) {
    usz more = (top - pages * 65536 + 65535) / 65536;
    if (more < pages / 2) more = pages / 2;
    if (__builtin_wasm_memory_grow(0, more) == (usz)-1) __builtin_trap();
  }
  return at;
}

/* Numba's arrays: they are never freed one by one. */

typedef struct { usz references; void *destroy, *information, *data; usz size; } Array;

void *NRT_MemInfo_alloc_aligned(usz bytes, u32 align) {
  Array *array = (Array *)alloc(sizeof(Array) + bytes + 64);
  array->references = 1;
  array->destroy = array->information = 0;
  array->data = (void *)(((usz)(array + 1) + 63) & ~(usz)63);
  array->size = bytes;
  return array;
}

void *NRT_MemInfo_alloc(usz bytes) { return NRT_MemInfo_alloc_aligned(bytes, 16); }
void *NRT_Allocate(usz bytes) { return (void *)alloc(bytes); }
void NRT_MemInfo_call_dtor(void *array) {}
void NRT_Free(void *array) {}

/* Reshape an array whose items are in the order of its indices; others cannot be without a copy. */
int numba_attempt_nocopy_reshape(long dimensions, const long *shape, const long *strides, long wanted,
                                 const long *new_shape, long *new_strides, long item, int columns_first) {
  long step = item;
  if (columns_first) return 0;
  for (long d = dimensions - 1; d >= 0; step *= shape[d--])
    if (shape[d] != 1 && strides[d] != step) return 0;
  step = item;
  for (long d = wanted - 1; d >= 0; step *= new_shape[d--]) new_strides[d] = step;
  return 1;
}

/* Only an error inside a kernel calls these, to make a Python exception: the call ends there. */
void PyErr_SetString(void *kind, const char *text) { __builtin_trap(); }
void *PyUnicode_FromKindAndData(int kind, const void *text, long length) { __builtin_trap(); }
long PyObject_Hash(void *object) { __builtin_trap(); }
void *PyTuple_Pack(long length, ...) { __builtin_trap(); }
void *PyExc_RuntimeError;

void *memset(void *to, int value, usz bytes) {
  unsigned char *p = to;
  while (bytes--) *p++ = (unsigned char)value;
  return to;
}

void *memcpy(void *to, const void *from, usz bytes) {
  unsigned char *p = to;
  const unsigned char *q = from;
  while (bytes--) *p++ = *q++;
  return to;
}

/* PCG64: a 128-bit congruential generator whose state is folded and rotated (XSL-RR). */

typedef struct { u128 state, step; int has_half; u32 half; } Generator;

static const u128 FACTOR = ((u128)2549297995355413924ULL << 64) + 4865540595714422341ULL;

static u64 next_uint64(void *p) {
  Generator *g = p;
  g->state = g->state * FACTOR + g->step;
  u64 folded = (u64)(g->state >> 64) ^ (u64)g->state;
  u32 turn = (u32)(g->state >> 122);
  return (folded >> turn) | (folded << ((-turn) & 63));
}

static u32 next_uint32(void *p) {
  Generator *g = p;
  if (g->has_half) {
    g->has_half = 0;
    return g->half;
  }
  u64 both = next_uint64(p);
  g->has_half = 1;
  g->half = (u32)(both >> 32);
  return (u32)both;
}

EXPORT(next_double) double next_double(void *p) { return (next_uint64(p) >> 11) * (1.0 / 9007199254740992.0); }

/* A whole number below n, as Generator.integers(n) draws it (Lemire 2019). */
EXPORT(below) u32 below(void *p, u32 n) {
  if (n < 2) return 0;
  u64 product = (u64)next_uint32(p) * n;
  if ((u32)product < n) {
    u32 threshold = (u32)(-n) % n;
    while ((u32)product < threshold) product = (u64)next_uint32(p) * n;
  }
  return (u32)(product >> 32);
}

/* SeedSequence: a pool of four words, mixed from the words of the seed and of the place of a child. */

enum { POOL = 4 };
typedef struct { u32 pool[POOL]; } Seeds;

static u32 hashed(u32 value, u32 *constant, u32 factor) {
  value ^= *constant;
  *constant *= factor;
  value *= *constant;
  return value ^ value >> 16;
}

static u32 mixed(u32 x, u32 y) {
  u32 both = 0xca01f9ddu * x - 0x4973f715u * y;
  return both ^ both >> 16;
}

static void sow(Seeds *seeds, const u32 *words, int count) {
  u32 constant = 0x43b0d7e5u;
  for (int i = 0; i < POOL; i++) seeds->pool[i] = hashed(i < count ? words[i] : 0, &constant, 0x931e8875u);
  for (int from = 0; from < POOL; from++)
    for (int to = 0; to < POOL; to++)
      if (from != to) seeds->pool[to] = mixed(seeds->pool[to], hashed(seeds->pool[from], &constant, 0x931e8875u));
  for (int i = POOL; i < count; i++)
    for (int to = 0; to < POOL; to++) seeds->pool[to] = mixed(seeds->pool[to], hashed(words[i], &constant, 0x931e8875u));
}

/* The last of a number of words that the seeds generate. */
static u32 word(const Seeds *seeds, int number) {
  u32 constant = 0x8b51f9ddu, value = 0;
  for (int i = 0; i <= number; i++) value = hashed(seeds->pool[i % POOL], &constant, 0x58f38dedu);
  return value;
}

static int words_of(u64 seed, u32 *words) {
  words[0] = (u32)seed;
  words[1] = (u32)(seed >> 32);
  return words[1] ? 2 : 1;
}

/* The seed of a run of several (otlab.inference.random.run_seed). */
EXPORT(run_seed) u64 run_seed(u64 root, u32 number) {
  Seeds seeds;
  u32 words[2];
  if (!number) return root;
  sow(&seeds, words, words_of(root, words));
  return word(&seeds, (int)number - 1);
}

/* The generator of a chain: PCG64 of the first child of its seed. */
EXPORT(generator) usz generator(u64 seed) {
  Generator *g = (Generator *)alloc(sizeof(Generator));
  u32 words[POOL + 1] = {0};
  Seeds seeds;
  words_of(seed, words); /* a child's place comes after at least four words */
  sow(&seeds, words, POOL + 1);
  u64 made[4];
  for (int i = 0; i < 4; i++) made[i] = word(&seeds, 2 * i) | (u64)word(&seeds, 2 * i + 1) << 32;
  g->step = ((((u128)made[2] << 64) | made[3]) << 1) | 1;
  g->state = (g->step + (((u128)made[0] << 64) | made[1])) * FACTOR + g->step;
  g->has_half = 0;
  return (usz)g;
}

/* The addresses that a kernel takes of the functions above. */
EXPORT(functions) void functions(u64 *out) {
  out[0] = (u64)next_uint64;
  out[1] = (u64)next_uint32;
  out[2] = (u64)next_double;
}
