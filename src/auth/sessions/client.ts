import type { FastifyRequest } from 'fastify'

/** The program a person uses, as the session list shows it. */
export interface Client {
  ipAddress: string
  userAgent: string
}

const USER_AGENT_LENGTH = 300

export function clientOf(request: FastifyRequest): Client {
  const userAgent = request.headers['user-agent'] ?? ''
  // Whoever reads it on a terminal must not be told by it what to do: a header may hold the commands of U+0080 to U+009F.
  return { ipAddress: request.ip, userAgent: userAgent.slice(0, USER_AGENT_LENGTH).replace(/\p{Cc}/gu, ' ') }
}
