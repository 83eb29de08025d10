import type en from '@platen/ui/messages/en.json'

/** The keys of the texts of the editor. */
export type EditorMessage = keyof (typeof en)['editor']
