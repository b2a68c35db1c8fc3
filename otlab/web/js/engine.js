// The compiled kernels: arrays in their memory, and calls with the names that they have in Python.
//
// signatures    {kernel: {arguments: [[name, type]], results}}, see otlab/web/exports.py

async function kernelsOf(module, signatures) {
  const { exports } = await WebAssembly.instantiate(module, {})
  const TYPES = { f8: Float64Array, i8: BigInt64Array }

  // An array of the kernels' memory, filled with values if there are any. `view` is taken anew each time:
  // memory that grows moves.
  function array(type, shape, values) {
    const size = shape.reduce((product, n) => product * n, 1), at = exports.alloc(BigInt(8 * size))
    const made = {
      type, at, shape,
      get view() { return new TYPES[type](exports.memory.buffer, Number(at), size) },
    }
    if (values) made.view.set(type === "i8" ? BigInt64Array.from(values, BigInt) : values)
    return made
  }
  const numbers = values => array("f8", [values.length], values)
  const integers = values => array("i8", [values.length], values)
  // Every list of an object as integers in the kernels' memory.
  const allIntegers = lists => Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, integers(list)]))

  const addresses = array("i8", [3])
  exports.functions(addresses.at)
  const functions = [...addresses.view], returned = array("i8", [1]), raised = array("i8", [1])

  // Call a kernel and return the numbers that it returns.
  function call(name, given) {
    const { arguments: wanted, results } = signatures[name], passed = [], mark = exports.mark()
    for (const [path, type] of wanted) {
      const value = path.split(".").reduce((inside, field) => inside[field], given)
      if (type === "rng") passed.push(value, ...functions)
      else if (type === "f8") passed.push(value)
      else if (type === "i8") passed.push(BigInt(value))
      else passed.push(value.at, ...value.shape.map(BigInt))
    }
    const out = results ? array("f8", [results]) : null
    const failed = exports[name](returned.at, raised.at, ...passed, ...(out ? [out.at] : []))
    const found = out ? [...out.view] : []
    exports.release(mark)
    if (failed) throw new Error(`the kernel ${name} failed`)
    return found
  }

  return {
    array, numbers, integers, allIntegers, call,
    // The generator of a chain of a run with this seed.
    generator: (seed, chain) => exports.generator(exports.run_seed(BigInt(seed), chain)),
    uniform: generator => exports.next_double(generator),
    below: (generator, n) => exports.below(generator, n),
    mark: () => exports.mark(), release: mark => exports.release(mark),
  }
}
