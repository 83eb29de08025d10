import { shareWithShop } from '../assets/index.ts'
import type { Editor } from '../change-records/index.ts'
import { type DesignDocument, type Layer, layerAssetIds, layerFonts } from '../drawing/index.ts'
import { findFontsOfFamilies } from '../fonts/index.ts'
import type { Trx } from '../platform/db/index.ts'
import type { ProblemDetail } from '../platform/problem.ts'
import { newId } from './ids.ts'
import { templateProblems } from './problems.ts'
import { recordTemplate } from './record-template.ts'
import type { NewTemplateBody } from './schemas.ts'
import { insertTemplate, type Template } from './store.ts'

/** A design of the administrator that becomes a template. */
export interface Publishable {
  status: string
  productId: string
  document: DesignDocument
}

/** Finds a design of an account in its present state. */
export type FindPublishable = (
  trx: Trx,
  design: { id: string; ownerId: string },
  now: Date,
) => Promise<Publishable | undefined>

export interface Publication {
  /** The account whose draft is published. */
  editor: Editor
  input: NewTemplateBody
  now: Date
  /** The names of the installed families. */
  installed: ReadonlySet<string>
}

/**
 * Publishes a copy of a draft as a template of the shop. Its images become images of the shop, so the template remains
 * as it is when the administrator changes the draft, deletes the assets or leaves.
 *
 * @throws `design_not_found`, `design_not_draft`, `template_invalid`
 */
export async function publishTemplate(
  trx: Trx,
  findDesign: FindPublishable,
  { editor, input, now, installed }: Publication,
): Promise<Template> {
  const { userId: ownerId } = editor
  const { productId, document } = await requireDraft(trx, findDesign, { ownerId, input, now })
  const ids = [...new Set(layersOf(document).flatMap(({ layer }) => layerAssetIds(layer)))]
  const shared = await shareWithShop(trx, { ownerId, ids, now })
  const errors = [...(await findOtherFonts(trx, { ownerId, installed }, document)), ...missingImages(document, shared)]
  if (errors.length > 0) throw templateProblems.template_invalid({ errors })
  const template: Template = {
    id: newId('template'),
    productId,
    name: input.name,
    status: 'active',
    categories: input.categories ?? [],
    documentJson: JSON.stringify(withImages(document, shared)),
    assetIds: [...new Set(Array.from(shared.values(), ({ id }) => id))],
    createdAt: now,
    updatedAt: now,
  }
  await insertTemplate(trx, template)
  await recordTemplate(trx, { before: undefined, after: template, type: 'created', editor })
  return template
}

async function requireDraft(
  trx: Trx,
  findDesign: FindPublishable,
  { ownerId, input, now }: Pick<Publication, 'input' | 'now'> & { ownerId: string },
): Promise<Publishable> {
  const design = await findDesign(trx, { id: input.designId, ownerId }, now)
  if (design === undefined) {
    const detail = 'The caller has no design with this id.'
    throw templateProblems.design_not_found({ errors: [{ code: 'design_not_found', pointer: '/designId', detail }] })
  }
  if (design.status === 'draft') return design
  throw templateProblems.design_not_draft({ members: { designStatus: design.status } })
}

/**
 * Designs of customers see only their own uploaded fonts, so a text would be drawn in another font. Each customer could
 * also upload another font under the name of a family that is not installed.
 */
async function findOtherFonts(
  trx: Trx,
  { ownerId, installed }: Pick<Publication, 'installed'> & { ownerId: string },
  document: DesignDocument,
): Promise<ProblemDetail[]> {
  const texts = layersOf(document).flatMap(({ layer, pointer }) =>
    layerFonts(layer).map(({ family }) => ({ layer, family, pointer: `${pointer}/fontFamily` })),
  )
  const fonts = await findFontsOfFamilies(trx, ownerId, [...new Set(texts.map(({ family }) => family))])
  const uploaded = new Set(fonts.map(({ family }) => family))
  return texts.flatMap(({ layer, family, pointer }) => {
    if (uploaded.has(family))
      return [fault('font_uploaded', pointer, 'This is an uploaded font. Use an installed one.')]
    if (installed.has(family)) return []
    const detail = `The layer "${layer.name ?? layer.id}" has the font family "${family}", which is not installed. Use an installed one.`
    return [fault('font_unknown', pointer, detail)]
  })
}

function missingImages(document: DesignDocument, shared: ReadonlyMap<string, unknown>): ProblemDetail[] {
  return layersOf(document).flatMap(({ layer, pointer }) =>
    layerAssetIds(layer).some((id) => !shared.has(id))
      ? [fault('asset_missing', `${pointer}/assetId`, 'The image does not exist. Replace it or remove the layer.')]
      : [],
  )
}

function fault(code: string, pointer: string, detail: string): ProblemDetail {
  return { code, pointer: `/document${pointer}`, detail }
}

function layersOf({ placements }: DesignDocument): { layer: Layer; pointer: string }[] {
  return placements.flatMap(({ layers }, p) =>
    layers.map((layer, l) => ({ layer, pointer: `/placements/${p}/layers/${l}` })),
  )
}

/** Names the images of the shop, so that the template does not show the ids of the administrator's assets. */
function withImages(document: DesignDocument, shared: ReadonlyMap<string, { id: string }>): DesignDocument {
  const renamed = (layer: Layer): Layer =>
    layer.type === 'image' ? { ...layer, assetId: shared.get(layer.assetId)?.id ?? layer.assetId } : layer
  const placements = document.placements.map((placement) => ({ ...placement, layers: placement.layers.map(renamed) }))
  return { ...document, placements }
}
