import type { Trx } from '../platform/db/index.ts'
import { templateProblems } from './problems.ts'
import type { TemplateChangesBody } from './schemas.ts'
import { lockTemplate, type Template, updateTemplate } from './store.ts'

/** @throws `template_not_found`, also for an archived template */
export async function changeTemplate(trx: Trx, id: string, changes: TemplateChangesBody, now: Date): Promise<Template> {
  const before = await lockTemplate(trx, id)
  if (before?.status !== 'active') throw templateProblems.template_not_found()
  const template = { ...before, ...changes, updatedAt: now }
  await updateTemplate(trx, template)
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
  id: string,
  status: Template['status'],
  now: Date,
): Promise<{ template: Template; isChanged: boolean }> {
  const before = await lockTemplate(trx, id)
  if (before === undefined) throw templateProblems.template_not_found()
  if (before.status === status) return { template: before, isChanged: false }
  const template: Template = { ...before, status, updatedAt: now }
  await updateTemplate(trx, template)
  return { template, isChanged: true }
}
