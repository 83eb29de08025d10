import { DrawnPicture } from '@platen/app/files'
import type { ListedDesign } from '@platen/client'
import { useQuery } from '@tanstack/react-query'
import { previewQuery } from './queries.ts'

export interface PreviewProps {
  design: Pick<ListedDesign, 'id' | 'revision'>
  area: { id: string; widthMm: number; heightMm: number }
  /** In device pixels. */
  width: number
  label: string
}

/** The preview of a print area. */
export function Preview({ design, area, width, label }: PreviewProps) {
  const { data, isError } = useQuery(previewQuery(design, area.id, width))
  const height = Math.round((width * area.heightMm) / area.widthMm)
  return <DrawnPicture picture={data} isError={isError} size={{ width, height }} label={label} />
}
