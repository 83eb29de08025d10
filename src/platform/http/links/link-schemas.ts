import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

/** Members of a request for a link. */
export const linkLifeMember = {
  expiresInSeconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3_600,
    description: 'How long the link is valid.',
  }),
}

export const LinkBody = Type.Object(
  {
    url: Type.String({ description: 'URL of the file. It needs no credential, so treat it as a secret.' }),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'Link' },
)
export type LinkBody = Static<typeof LinkBody>

/** The query of every link. Clients use links as they are and never compose them. */
export const linkQueryMembers = {
  expires: Type.String({ description: 'Part of the link.' }),
  signature: Type.String({ description: 'Part of the link.' }),
}
export const LinkQuery = Type.Object(linkQueryMembers, closed)

export function toLinkBody({ url, expiresAt }: { url: string; expiresAt: Date }): LinkBody {
  return { url, expiresAt: expiresAt.toISOString() }
}

/** What the descriptions of all routes of links say. */
export const LINK_ROUTE_DESCRIPTION =
  'Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests.'
