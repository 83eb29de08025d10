/** Longer than the lists of any client. Reading thousands of values would take as long as hundreds of requests. */
const MOST_CHARACTERS = 1_000

export interface WeightedValue {
  value: string
  /** 0 to 1. 0 for a value that the client refuses, or whose weight is not a number. */
  weight: number
}

/** Reads the values of a header such as `Accept`, in their order (RFC 9110, section 12.4.2). */
export function readWeightedValues(header: string): WeightedValue[] {
  return header
    .slice(0, MOST_CHARACTERS)
    .split(',')
    .map((item) => {
      const [value = '', ...parameters] = item.split(';').map((part) => part.trim())
      const weight = Number(parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? 1)
      return { value, weight: Number.isFinite(weight) ? weight : 0 }
    })
}
