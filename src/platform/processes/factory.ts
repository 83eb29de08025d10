import { type Channel, createChannel } from './channel.ts'

const SILENT = { error: () => undefined }

/** Creates the two ends of a connection between processes, for tests in one process. Messages are copied. */
export function connectedChannels(): [Channel, Channel] {
  const ends: Channel[] = []
  const to = (index: number) => (message: object) => {
    const copy = structuredClone(message)
    setImmediate(() => ends[index]?.receive(copy))
  }
  const [first, second] = [1, 0].map((index) => createChannel({ send: to(index), log: SILENT }))
  if (first === undefined || second === undefined) throw new Error('there are two ends')
  ends.push(first, second)
  return [first, second]
}
