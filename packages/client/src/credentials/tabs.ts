import type { SessionTokens } from './session-tokens.ts'

/** The tabs of a browser that share a session whose refresh token is in a cookie. */
export interface Tabs {
  /** Returns the fresh access token of another tab, if another tab has one. */
  ask(): Promise<SessionTokens | undefined>
}

/** A tab that is busy longer is not waited for, because a refresh takes about as long. */
export const PATIENCE_MS = 200

type Message = { kind: 'question' } | { kind: 'answer'; tokens: SessionTokens }

interface Channel {
  postMessage(message: Message): void
  addEventListener(type: 'message', listener: (event: { data: Message }) => void): void
  removeEventListener(type: 'message', listener: (event: { data: Message }) => void): void
}

/**
 * Answers other tabs of the origin, and asks them. Access tokens pass between pages in memory and are stored nowhere.
 *
 * @param name the same for all clients of one installation
 * @param fresh returns the present tokens while they can be used
 * @returns undefined if the platform has no channel between tabs, or one cannot tell whether there are other tabs
 */
export function joinTabs(name: string, fresh: () => SessionTokens | undefined): Tabs | undefined {
  const { BroadcastChannel, navigator } = globalThis as unknown as {
    BroadcastChannel?: new (name: string) => Channel
    navigator?: { locks?: Locks }
  }
  const locks = navigator?.locks
  if (BroadcastChannel === undefined || locks === undefined) return undefined
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }) => {
    const tokens = data.kind === 'question' ? fresh() : undefined
    if (tokens !== undefined) channel.postMessage({ kind: 'answer', tokens })
  })
  const presence = `${name} tab`
  // Held until the page is closed, so that other tabs know that they can ask.
  const joined = new Promise<void>((resolve) => {
    const hold = async (): Promise<void> => {
      resolve()
      await new Promise(() => undefined)
    }
    locks.request(presence, { mode: 'shared' }, hold).catch(() => resolve())
  })
  return {
    ask: async () => {
      await joined
      const { held = [] } = await locks.query()
      return held.filter(({ name }) => name === presence).length > 1 ? askOn(channel) : undefined
    },
  }
}

interface Locks {
  request(name: string, options: { mode: 'shared' }, work: () => Promise<void>): Promise<void>
  query(): Promise<{ held?: { name?: string }[] }>
}

function askOn(channel: Channel): Promise<SessionTokens | undefined> {
  return new Promise((resolve) => {
    const end = (tokens: SessionTokens | undefined): void => {
      channel.removeEventListener('message', listen)
      clearTimeout(timer)
      resolve(tokens)
    }
    const listen = ({ data }: { data: Message }): void => {
      if (data.kind === 'answer' && data.tokens.expiresAt > Date.now()) end(data.tokens)
    }
    const timer = setTimeout(() => end(undefined), PATIENCE_MS)
    channel.addEventListener('message', listen)
    channel.postMessage({ kind: 'question' })
  })
}
