import type { DesignDocument } from '../../drawing/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { findTemplate } from '../../templates/index.ts'
import type { DesignContent } from '../checking/check-inputs.ts'
import { designProblems } from '../problems.ts'

/** What a new design takes from a template. The draft from which it was published has been checked. */
export interface TemplateCopy extends Pick<DesignContent, 'document' | 'documentJson'> {
  id: string
  name: string
}

/** @throws `template_not_found`, `template_product_mismatch` */
export async function copyTemplate(db: Db | Trx, id: string, productId: string): Promise<TemplateCopy> {
  const template = await findTemplate(db, id)
  if (template === undefined) throw pointed('template_not_found')
  if (template.productId !== productId) throw pointed('template_product_mismatch')
  const { name, documentJson } = template
  return { id, name, document: JSON.parse(documentJson) as DesignDocument, documentJson }
}

function pointed(code: 'template_not_found' | 'template_product_mismatch') {
  const detail = `${designProblems[code]().title}.`
  return designProblems[code]({ errors: [{ code, pointer: '/templateId', detail }] })
}
