import { useEffect, useMemo, useRef } from 'react'

/**
 * Draws a QR code of the service. The policy of the page forbids pictures from `data:` URLs, so the paths of the SVG are
 * drawn on a canvas.
 */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { size, paths } = useMemo(() => read(svg), [svg])
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context === null || context === undefined) return
    context.fillStyle = 'white'
    context.fillRect(0, 0, size, size)
    context.fillStyle = 'black'
    for (const path of paths) context.fill(new Path2D(path))
  }, [size, paths])
  return <canvas ref={canvas} className="qr-code" role="img" aria-label={label} width={size} height={size} />
}

function read(svg: string): { size: number; paths: string[] } {
  const { documentElement } = new DOMParser().parseFromString(svg, 'image/svg+xml')
  const size = Number(documentElement.getAttribute('viewBox')?.split(' ')[2] ?? 0)
  const paths = Array.from(documentElement.querySelectorAll('path'), (path) => path.getAttribute('d') ?? '')
  return { size, paths }
}
