import { useTexts } from '@platen/ui'
import { PageViews } from '../parts/page/page-views.tsx'

export const SYSTEM_VIEWS = [
  { href: '/system', title: 'consoleSystem.state' },
  { href: '/system/audit', title: 'consoleSystem.auditLog' },
] as const

export function SystemViews() {
  const { text } = useTexts()
  return <PageViews label={text('console.system')} views={SYSTEM_VIEWS} />
}
