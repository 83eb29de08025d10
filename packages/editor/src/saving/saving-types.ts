import type { Design } from '@platen/client'
import type { DesignDocument } from '@platen/drawing'
import type { EditorMessage } from '../messages.ts'
import type { ConflictChoice, LayerNotice, MergeConflict } from './merge/merge-types.ts'

/** The part of a design that is saved. */
export interface DesignContent {
  name: string
  variantId: string
  /** Normalized. */
  document: DesignDocument
}

/** A version of the design that the service has. */
export interface SavedVersion {
  content: DesignContent
  revision: number
  etag: string
  status: Design['status']
}

export interface OpenedDesign {
  design: Design
  etag: string
}

/**
 * What follows after an error. `retry` waits and tries again, `sign_in` waits for a credential, `change` waits until the
 * customer has changed something, and `stop` ends saving this design.
 */
export type SaveBehaviour = 'retry' | 'sign_in' | 'change' | 'stop'

/** Why changes are not saved, or a warning with the last save. */
export interface SaveProblem {
  /** The code of the service, or of the client, such as `connection_failed`. */
  code: string
  behaviour: SaveBehaviour | 'warn'
  /** What the service or the client states, in English. */
  detail: string
  /** JSON Pointer into the saved content, such as `/document/placements/0/layers/3`. */
  pointer?: string
  /** The layer to which the pointer leads. */
  layerId?: string
  /** The text for the customer. */
  message: EditorMessage
  values: Readonly<Record<string, string | number>>
  error?: Error
}

export type SavingNotice =
  /** Changes of an earlier tab, which the service did not have. */
  | { kind: 'restored'; at: number }
  /** There are changes of an earlier tab, but they could not be read. They stay on the device. */
  | { kind: 'unread' }
  /** A merge has taken changes from elsewhere. */
  | { kind: 'merged'; layers: readonly LayerNotice[]; hasKeptOrder: boolean }

export interface SavingState {
  problem: SaveProblem | undefined
  /** Not empty while the customer must decide. */
  conflicts: readonly MergeConflict[]
  notices: readonly SavingNotice[]
  /** Milliseconds since 1970. Undefined before the first save. */
  savedAt: number | undefined
}

export interface Saver {
  get(): SavingState
  /** Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void
  /** Restores changes from the journal, then follows the store. */
  start(): Promise<void>
  /**
   * Saves at once. Waits while the customer decides about conflicts.
   *
   * @throws {SaveError} if the changes cannot be saved
   */
  flush(): Promise<void>
  /** The entity tag of the design as the service has it, for `If-Match`. */
  etag(): string
  /** Takes a version that the element got by a request of its own. Changes of the customer stay. */
  adopt(opened: OpenedDesign): void
  /** Tries again after a problem. */
  resume(): void
  /**
   * Takes the version of the service if it is newer. Changes of the customer stay.
   *
   * @throws errors of `designs.get`
   */
  refresh(): Promise<void>
  /** Ends a conflict. Without a choice, the content of this editor stays. */
  decide(choices: ReadonlyMap<string, ConflictChoice>): void
  undoRestore(): void
  /**
   * Resolves when everything is saved, and an editor that is opened now can restore what this one could not.
   *
   * @throws Error if that is not so
   */
  prepareReopening(): Promise<void>
  dismiss(notice: SavingNotice): void
  /**
   * Creates a new design with the content of this editor.
   *
   * @throws errors of `designs.create`
   */
  saveCopy(): Promise<Design>
  /**
   * Saves, then gives the design the content of a revision. One step of undo leads back.
   *
   * @throws {SaveError}
   */
  restoreRevision(revision: number): Promise<void>
  /** Saves what is left, and ends. */
  stop(): Promise<void>
}
