import { useEffect, useRef, useState } from 'react'
import { usePanels } from '../services/use-panels.ts'

/**
 * The small picture of an asset. It is drawn on a canvas, because the policy of the pages forbids other sources. Out of
 * sight it is empty, because a library can have thousands of images.
 */
export function AssetThumbnail({ assetId }: { assetId: string }) {
  const { library } = usePanels()
  const ref = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  useEffect(() => {
    const canvas = ref.current
    if (canvas === null) return
    let isSeen = false
    const draw = (bitmap: ImageBitmap): void => {
      if (!isSeen) return
      canvas.width = bitmap.width
      canvas.height = bitmap.height
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
      setIsDrawn(true)
    }
    const observer = new IntersectionObserver(
      (entries) => {
        isSeen = entries.at(-1)?.isIntersecting === true
        // If it cannot be loaded, the frame of the tile stays, and the tile can still be used.
        if (isSeen) library.thumbnail(assetId).then(draw, () => undefined)
        else {
          canvas.width = 0
          setIsDrawn(false)
        }
      },
      { rootMargin: MARGIN },
    )
    observer.observe(canvas)
    return () => {
      isSeen = false
      observer.disconnect()
    }
  }, [library, assetId])
  return <canvas ref={ref} aria-hidden className={isDrawn ? 'pe-thumbnail' : 'pe-thumbnail pe-pending'} />
}

/** Pictures are drawn before they scroll into sight. */
const MARGIN = '200px'
