export { DrawnPicture, type DrawnPictureProps } from './drawn-picture.tsx'
export { download, saveBlob, saveFile } from './save-file.ts'
