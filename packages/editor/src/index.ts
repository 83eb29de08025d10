export { PlatenEditorElement } from './element.tsx'
