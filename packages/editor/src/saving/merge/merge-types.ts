import type { DesignDocument } from '@platen/drawing'
import type { EditorLayer } from '../../document/layers.ts'

/** `both` keeps the own layer and adds a copy of the other one. */
export type ConflictChoice = 'mine' | 'theirs' | 'both'

/** Both sides have changed the same fields in different ways. */
export type MergeConflict = LayerConflict | FieldConflict

export interface LayerConflict {
  kind: 'layer'
  /** The id of the layer. */
  id: string
  /** The fields that differ. `printAreaId` if the layer was moved to different print areas. */
  fields: readonly string[]
  mine: EditorLayer
  theirs: EditorLayer
}

/** A conflict outside of the document. */
export interface FieldConflict {
  kind: 'field'
  /** A JSON Pointer, which no id of a layer can be. */
  id: '/name' | '/variantId'
  mine: string
  theirs: string
}

/** A layer that one side deleted and the other changed. It stays. */
export interface LayerNotice {
  kind: 'deleted_there' | 'deleted_here'
  layer: EditorLayer
}

export interface MergedDocument {
  document: DesignDocument
  /** In the document, the own fields of these layers won. */
  conflicts: readonly LayerConflict[]
  notices: readonly LayerNotice[]
  /** Both sides have ordered layers in ways that exclude each other. The own order won. */
  hasKeptOrder: boolean
}
