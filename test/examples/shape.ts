/** Lists the members of a value with their JSON types, such as `/items/*\/id: string`. Items of a list are one. */
export function shapeOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return unique([`${place}: array`, ...value.flatMap((item) => shapeOf(item, `${place}/*`))])
  if (typeof value !== 'object' || value === null) return [`${place}: ${value === null ? 'null' : typeof value}`]
  const members = Object.entries(value).flatMap(([name, one]) => shapeOf(one, `${place}/${name}`))
  return unique([`${place}: object`, ...members])
}

const unique = (lines: readonly string[]): string[] => [...new Set(lines)].sort()
