import type { IconName } from '@platen/ui'

/** An entry of the command palette. */
export interface Command {
  id: string
  icon: IconName
  title: string
  note?: string
  /** The page to which it leads. */
  href?: string
  /** The action of the present page that it runs. Without this and `href`, the command shows the list of keys. */
  run?(): void
}
