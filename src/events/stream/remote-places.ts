import { Problem } from '../../platform/problem.ts'
import type { Channel } from '../../platform/processes/channel.ts'
import { eventProblems } from '../problems.ts'
import type { Opener, Places } from './places.ts'

type Asked = Omit<Opener, 'end'> & { id: number }
type Refusal = { code: 'too_many_event_streams' | 'event_streams_full'; extras: Problem['extras'] }
type Answer = { isTaken: true } | { refusal: Refusal }

const TAKE = 'event streams: take'
const LEAVE = 'event streams: leave'
const END = 'event streams: end'

/** Takes the places of this process from the main process, which counts the streams of all processes. */
export function createRemotePlaces(main: Pick<Channel, 'call' | 'tell' | 'handle'>) {
  const ends = new Map<number, () => void>()
  let lastId = 0
  main.handle(END, (id: number) => ends.get(id)?.())
  return {
    take: async ({ end, ...opener }: Opener): Promise<() => void> => {
      lastId += 1
      const id = lastId
      ends.set(id, end)
      const leave = (): void => {
        if (ends.delete(id)) main.tell(LEAVE, id)
      }
      const answer = await main.call<Answer>(TAKE, { ...opener, id } satisfies Asked).catch((error: unknown) => {
        leave()
        throw error
      })
      if ('isTaken' in answer) return leave
      ends.delete(id)
      throw eventProblems[answer.refusal.code](answer.refusal.extras)
    },
  }
}

/**
 * Gives places to another process of the node.
 *
 * @returns a function that gives back its places when it has ended
 */
export function serveRemotePlaces(places: Places, other: Pick<Channel, 'handle' | 'tell'>): () => void {
  const taken = new Map<number, () => void>()
  const leave = (id: number): void => {
    taken.get(id)?.()
    taken.delete(id)
  }
  other.handle(TAKE, ({ id, ...opener }: Asked): Answer => {
    try {
      taken.set(id, places.take({ ...opener, end: () => other.tell(END, id) }))
      return { isTaken: true }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { refusal: { code: error.code as Refusal['code'], extras: error.extras } }
    }
  })
  other.handle(LEAVE, leave)
  return () => {
    for (const id of taken.keys()) leave(id)
  }
}
