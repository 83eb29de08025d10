import { Icon, Skeleton } from '@platen/ui'
import { useEffect, useRef } from 'react'

export interface DrawnPictureProps {
  picture: Blob | undefined
  isError: boolean
  /** Until the picture is there, in device pixels. */
  size: { width: number; height: number }
  label: string
}

/** A picture that needs a credential. It is drawn, because a picture in the page cannot send one. */
export function DrawnPicture({ picture, isError, size, label }: DrawnPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (picture === undefined) return undefined
    let isCurrent = true
    createImageBitmap(picture).then(
      (bitmap) => {
        if (isCurrent && canvas.current !== null) draw(canvas.current, bitmap)
        bitmap.close()
      },
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [picture])
  return (
    <div className="preview">
      {isError ? <Icon name="image" size={40} /> : null}
      {picture === undefined && !isError ? <Skeleton shape="block" /> : null}
      <canvas ref={canvas} {...size} role="img" aria-label={label} hidden={picture === undefined} />
    </div>
  )
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
}
