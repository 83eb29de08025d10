/** A measured figure, with the limit measured in the same run. */
export interface Figure {
  figure: string
  value: number
  limit: number
  unit: string
  /** value divided by limit. */
  ratio: number
  aim: string
  reached: boolean
  [detail: string]: unknown
}

/** Prints a figure as one line of JSON. */
export function report(figure: Figure): void {
  const rounded = Object.entries(figure).map(([name, value]) => [
    name,
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  ])
  console.log(JSON.stringify(Object.fromEntries(rounded)))
}
