import { useEffect, useRef, useState } from 'react'
import { usePanels } from '../services/use-panels.ts'

/** The small picture of an asset. It is drawn on a canvas, because the policy of the pages forbids other sources. */
export function AssetThumbnail({ assetId }: { assetId: string }) {
  const { library } = usePanels()
  const ref = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  useEffect(() => {
    const canvas = ref.current
    if (canvas === null) return
    let isCurrent = true
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      library.thumbnail(assetId).then(
        (bitmap) => {
          if (!isCurrent) return
          canvas.width = bitmap.width
          canvas.height = bitmap.height
          canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
          setIsDrawn(true)
        },
        // The frame of the tile stays, and the tile can still be used.
        () => undefined,
      )
    })
    observer.observe(canvas)
    return () => {
      isCurrent = false
      observer.disconnect()
    }
  }, [library, assetId])
  return <canvas ref={ref} aria-hidden className={isDrawn ? 'pe-thumbnail' : 'pe-thumbnail pe-pending'} />
}
