/** An arena: allocations in the kernels' memory that are freed together. */

import { use } from "./kernels.js";

/** @import { ElementType, Fielded, Kernels, Kind } from "./kernels.js" */

export class Memory {
  /** @type {{ free(): void }[]} */
  #held = [];

  /** @param {Kernels} kernels */
  constructor(kernels) {
    this.kernels = kernels;
  }

  /** Allocate an array of zeros. @param {ElementType} type @param {...number} shape */
  array(type, ...shape) {
    return this.#hold(this.kernels.array(type, shape));
  }

  /** Copy numbers into an array. @param {ElementType} type @param {number[] | Float32Array} numbers
   * @param {...number} shape default: one dimension */
  numbers(type, numbers, ...shape) {
    const made = this.array(type, ...(shape.length ? shape : [numbers.length]));
    made.data.set(type.endsWith("64") && type !== "f64" ? Array.from(numbers, BigInt) : numbers);
    return made;
  }

  /** Allocate zeroed records. @param {string} type @param {...number} shape */
  records(type, ...shape) {
    return this.#hold(this.kernels.records(type, shape));
  }

  /** Copy records from any memory. @param {...Fielded} values */
  copies(...values) {
    const made = this.records(values[0].type, values.length);
    values.forEach((value, k) => made.copy(value, 0, k));
    return made;
  }

  /** Allocate a zeroed workspace: a named tuple whose fields declare the sizes of its arrays. @param {string} name
   * @param {Record<string, number> | null} [sizes] values of named sizes; null: all arrays are empty
   * @param {Record<string, any>} [given] existing fields @returns {any} */
  workspace(name, sizes = {}, given = {}) {
    const part = (/** @type {Kind} */ kind) => {
      if (!Array.isArray(kind)) return this.workspace(kind, sizes);
      const [type, , dimensions = []] = kind;
      const shape = dimensions.map((size) => (!sizes ? 0 : typeof size === "number" ? size : sizes[size]));
      return type in this.kernels.facts.records ? this.records(type, ...shape)
        : this.array(/** @type {ElementType} */ (type), ...shape);
    };
    const fields = Object.entries(this.kernels.facts.tuples[name]);
    return Object.fromEntries(fields.map(([field, kind]) => [field, given[field] ?? part(kind)]));
  }

  /** @template {{ free(): void }} T @param {T} made */
  #hold(made) {
    this.#held.push(made);
    return made;
  }

  close() {
    for (const one of this.#held.splice(0)) one.free();
  }
}

/** Call a function with temporary memory; free it afterwards. @template T @param {(memory: Memory) => T} work
 * @param {Kernels} [kernels] */
export function borrowing(work, kernels = use()) {
  const memory = new Memory(kernels);
  try {
    return work(memory);
  } finally {
    memory.close();
  }
}
