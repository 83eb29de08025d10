export interface Figure {
  figure: string
  value: number
  limit: number
  unit: string
  /** `value` divided by `limit`. */
  ratio: number
  aim: string
  reached: boolean
  [detail: string]: unknown
}

export function report(figure: Figure): void {
  const rounded = Object.entries(figure).map(([name, value]) => [
    name,
    typeof value === 'number' ? Number(value.toPrecision(4)) : value,
  ])
  console.log(JSON.stringify(Object.fromEntries(rounded)))
}
