import { type TSchema, Type } from 'typebox'
import { DesignDocumentSchema, PreflightReportSchema } from '../../drawing/index.ts'
import { searchWords } from '../../platform/http/input/text.ts'
import { PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
import { ExternalReferenceFilter } from '../../platform/records/external-reference.ts'
import { LEFT_OUT_OF_SUMMARIES, listViewParameter } from '../../platform/records/list-view.ts'
import { METADATA_PARAMETERS } from '../../platform/records/metadata-filter.ts'
import { DesignBody, FinalizationBody } from '../schemas.ts'
import { DESIGN_STATUSES, type DesignStatus } from '../state.ts'

const closed = { additionalProperties: false } as const

const leftOut = (schema: TSchema) => Type.Optional(Type.Unsafe({ anyOf: [schema], ...LEFT_OUT_OF_SUMMARIES }))

const ListedFinalizationBody = Type.Object(
  {
    ...FinalizationBody.properties,
    receipt: Type.Optional(Type.String({ description: 'As for the design alone.', ...LEFT_OUT_OF_SUMMARIES })),
  },
  { ...closed, title: 'ListedFinalization' },
)

export const DesignPage = pageOf(
  Type.Object(
    {
      ...DesignBody.properties,
      document: leftOut(DesignDocumentSchema),
      preflight: leftOut(PreflightReportSchema),
      finalization: Type.Union([ListedFinalizationBody, Type.Null()]),
    },
    { ...closed, title: 'ListedDesign', description: 'A design. With `view=summary` its large members are left out.' },
  ),
)

export const DesignListQuery = Type.Object(
  {
    ...PageQuery.properties,
    status: Type.Optional(Type.Unsafe<DesignStatus>({ type: 'string', enum: DESIGN_STATUSES })),
    productId: Type.Optional(Type.String()),
    externalReference: ExternalReferenceFilter,
    q: searchWords(
      'Words or beginnings of words, all of which must occur in the name. Case and accents are ignored; one or two Latin letters or digits match whole words only.',
    ),
    view: listViewParameter('`document`, `preflight` and `finalization.receipt`'),
  },
  { ...closed, ...METADATA_PARAMETERS },
)
