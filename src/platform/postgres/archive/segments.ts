/** The names of files of the write-ahead log: timeline and number of the segment, in hexadecimal digits. */
const SEGMENT = /^[0-9A-F]{24}$/

/** Segments of 16 MiB, the size that initdb chooses. */
const SEGMENT_BYTES = 16n * 1024n * 1024n
const SEGMENTS_OF_LOG = 0x1_0000_0000n / SEGMENT_BYTES

export function isSegment(name: string): boolean {
  return SEGMENT.test(name)
}

/** Returns the segment that contains the byte at a position such as `0/3000028`. */
export function segmentAt(timeline: number, lsn: string): string {
  return nameOf(timeline, positionOf(lsn) / SEGMENT_BYTES)
}

/** Returns the segment that contains the last byte before a position. */
export function segmentBefore(timeline: number, lsn: string): string {
  return nameOf(timeline, (positionOf(lsn) - 1n) / SEGMENT_BYTES)
}

function positionOf(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** Returns the name of the next segment of the same timeline. */
export function nextSegment(name: string): string {
  const number = BigInt(`0x${name.slice(8, 16)}`) * SEGMENTS_OF_LOG + BigInt(`0x${name.slice(16)}`)
  return nameOf(Number.parseInt(name.slice(0, 8), 16), number + 1n)
}

function nameOf(timeline: number, number: bigint): string {
  return [BigInt(timeline), number / SEGMENTS_OF_LOG, number % SEGMENTS_OF_LOG]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}
