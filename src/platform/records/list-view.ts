import { Type } from 'typebox'

const VIEWS = ['full', 'summary'] as const
export type ListView = (typeof VIEWS)[number]

/** @param omitted the members that a summary leaves out, for the API document */
export function listViewParameter(omitted: string) {
  return Type.Optional(
    Type.Unsafe<ListView>({
      type: 'string',
      enum: VIEWS,
      description: `\`summary\` leaves out ${omitted}. Default: \`full\`.`,
    }),
  )
}

/**
 * Option of a member that only summaries leave out. The check for breaking changes counts the member as always present,
 * because only a new parameter leaves it out.
 */
export const LEFT_OUT_OF_SUMMARIES = { 'x-left-out-by': 'view=summary' } as const
