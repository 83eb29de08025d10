import type { FastifyRequest } from 'fastify'

/** The program a person uses, as the session list shows it. */
export interface Client {
  ipAddress: string
  userAgent: string
}

const USER_AGENT_LENGTH = 300

export function clientOf(request: FastifyRequest): Client {
  return { ipAddress: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH) }
}
