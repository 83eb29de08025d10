import { type Static, Type } from 'typebox'
import { PreflightIssueSchema } from '../../drawing/index.ts'
import { MOST_ISSUES } from './store.ts'

const closed = { additionalProperties: false } as const
const { fix: _, ...members } = PreflightIssueSchema.properties

const AcceptedIssueBody = Type.Object(
  {
    ...members,
    layer: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          type: Type.String(),
          name: Type.Union([Type.String(), Type.Null()], {
            description: 'Name of the layer, else the beginning of its text or of its QR value. Null without either.',
          }),
        },
        { ...closed, description: 'The layer with the issue. Absent if the issue concerns no single layer.' },
      ),
    ),
  },
  { ...closed, title: 'AcceptedIssue' },
)

/** The preflight report with which a design was finalized. */
export const AcceptedIssuesBody = Type.Object(
  {
    issues: Type.Array(AcceptedIssueBody, { description: `The first ${MOST_ISSUES} issues.` }),
    issueCount: Type.Integer({ description: 'Number of all issues. 0 if preflight found none.' }),
  },
  {
    ...closed,
    title: 'AcceptedPreflight',
    description:
      'Issues of the design that preflight reported when it was finalized. The values of placeholders are not part of it. Only responses with one order have it. Operators only.',
  },
)
export type AcceptedIssuesBody = Static<typeof AcceptedIssuesBody>
