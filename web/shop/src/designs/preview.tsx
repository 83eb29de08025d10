import type { ListedDesign } from '@platen/client'
import { Icon, Skeleton } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { previewQuery } from './queries.ts'

export interface PreviewProps {
  design: Pick<ListedDesign, 'id' | 'revision'>
  area: { id: string; widthMm: number; heightMm: number }
  /** In device pixels. */
  width: number
  label: string
}

/** The preview of a print area. It is drawn, because a picture in the page cannot send a credential. */
export function Preview({ design, area, width, label }: PreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { data, isError } = useQuery(previewQuery(design, area.id, width))
  useEffect(() => {
    if (data === undefined) return undefined
    let isCurrent = true
    createImageBitmap(data).then(
      (bitmap) => {
        if (isCurrent && canvas.current !== null) draw(canvas.current, bitmap)
        bitmap.close()
      },
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [data])
  const height = Math.round((width * area.heightMm) / area.widthMm)
  return (
    <div className="preview">
      {isError ? <Icon name="image" size={40} /> : null}
      {data === undefined && !isError ? <Skeleton shape="block" /> : null}
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={label} hidden={data === undefined} />
    </div>
  )
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
}
