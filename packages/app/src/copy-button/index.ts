export { CopyButton } from './copy-button.tsx'
