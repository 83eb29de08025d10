// Numbers, commands and arc flags of SVG path data (SVG 2, section 9.3.9).
const COMMAND = /([MmLlHhVvCcSsQqTtAaZz])([^MmLlHhVvCcSsQqTtAaZz]*)/g
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g
const ARC = /([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/

/**
 * Scales SVG path data. Faulty data is returned as it is. Arcs become exact only for equal factors or arcs that are not
 * rotated; other arcs keep their rotation.
 */
export function scalePath(data: string, scaleX: number, scaleY: number): string {
  if (scaleX === 1 && scaleY === 1) return data
  return data.replace(COMMAND, (_, command: string, rest: string) => {
    const kind = command.toUpperCase()
    if (kind === 'A') return command + scaleArcs(rest, scaleX, scaleY)
    let i = 0
    const isX = (): boolean => kind === 'H' || (kind !== 'V' && i % 2 === 0)
    return (
      command +
      rest.replace(NUMBER, (number, offset: number) => {
        const scaled = format(Number(number) * (isX() ? scaleX : scaleY))
        i++
        // "1-2" is two numbers, so a number that loses its sign would join the one before.
        return offset > 0 && !/[\s,]/.test(rest[offset - 1] ?? '') ? ` ${scaled}` : scaled
      })
    )
  })
}

/** Radii, rotation, two flags of one digit each, and a point. Flags need no separator. */
function scaleArcs(rest: string, scaleX: number, scaleY: number): string {
  const values: number[] = []
  let remaining = rest
  while (/\d/.test(remaining)) {
    remaining = remaining.replace(/^[\s,]+/, '')
    const isFlag = values.length % 7 === 3 || values.length % 7 === 4
    const found = isFlag ? remaining[0] : ARC.exec(remaining)?.[0]
    if (found === undefined || !remaining.startsWith(found)) return rest
    values.push(Number(found))
    remaining = remaining.slice(found.length)
  }
  const factors = [scaleX, scaleY, 1, 1, 1, scaleX, scaleY]
  return values.map((value, i) => format(value * (factors[i % 7] ?? 1))).join(' ')
}

function format(value: number): string {
  return String(Math.round(value * 10_000) / 10_000)
}
