import type { Editor } from '../change-records/index.ts'
import type { Trx } from '../platform/db/index.ts'
import { templateProblems } from './problems.ts'
import { recordTemplate } from './record-template.ts'
import type { TemplateChangesBody } from './schemas.ts'
import { lockTemplate, type Template, updateTemplate } from './store.ts'

interface Act {
  id: string
  editor: Editor
  now: Date
}

/** @throws `template_not_found`, also for an archived template */
export async function changeTemplate(
  trx: Trx,
  { id, editor, now }: Act,
  changes: TemplateChangesBody,
): Promise<Template> {
  const before = await lockTemplate(trx, id)
  if (before?.status !== 'active') throw templateProblems.template_not_found()
  const template = { ...before, ...changes, updatedAt: now }
  await updateTemplate(trx, template)
  await recordTemplate(trx, { before, after: template, type: 'changed', editor })
  return template
}

/**
 * Archives a template, so that it is no longer shown and no design can be made from it, or restores it. A repetition has
 * no effect.
 *
 * @throws `template_not_found`
 */
export async function setTemplateStatus(
  trx: Trx,
  { id, editor, now }: Act,
  status: Template['status'],
): Promise<{ template: Template; isChanged: boolean }> {
  const before = await lockTemplate(trx, id)
  if (before === undefined) throw templateProblems.template_not_found()
  if (before.status === status) return { template: before, isChanged: false }
  const template: Template = { ...before, status, updatedAt: now }
  await updateTemplate(trx, template)
  const type = status === 'archived' ? 'archived' : 'restored'
  await recordTemplate(trx, { before, after: template, type, editor })
  return { template, isChanged: true }
}
