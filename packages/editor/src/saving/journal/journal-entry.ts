import type { DesignContent } from '../saving-types.ts'

/** Changes that are not saved, and the version that they change. */
export interface JournalEntry {
  revision: number
  base: DesignContent
  mine: DesignContent
  /** Contents whose save has begun. The service may have one of them. */
  sent: readonly DesignContent[]
  /** Time of the last change, in milliseconds since 1970. */
  at: number
}

export interface Journal {
  /**
   * Returns the unsaved changes of tabs that have ended, if there are some. They stay until the next `clear`. Returns
   * `unread` if there are some that could not be read. They stay for the next editor.
   */
  takeOver(): Promise<JournalEntry | 'unread' | undefined>
  /**
   * Resolves when the next editor can read what this one could not.
   *
   * @throws Error if what reading needs cannot be downloaded
   */
  prepareReading(): Promise<void>
  /** Stores changes at once or soon, in place of earlier ones. */
  keep(entry: JournalEntry): void
  /** Stores at once what `keep` was given. */
  writeNow(): Promise<void>
  /** Removes the changes of this editor, and those that it has taken over. */
  clear(): void
  /** Whether the last changes could be stored. */
  isKeeping(): boolean
  /** Ends the work. What is stored stays, for the next editor. */
  close(): Promise<void>
}
