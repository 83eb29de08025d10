import type { Canvas2D, DrawGroup } from '../../canvas.ts'
import type { QrLayer } from '../../document/qr-layer.ts'
import { QUIET_ZONE_MODULES, qrCode, qrSquare } from './qr-code.ts'

/**
 * Draws a QR code with the origin at the top left of its box, in millimetres.
 *
 * @param group draws a translucent code as one group. Without it, the background would show through the modules
 */
export function drawQr(ctx: Canvas2D, layer: QrLayer, group: DrawGroup | undefined): void {
  const { width, height, opacity } = layer
  if (opacity === 1 || group === undefined) paintQr(ctx, layer)
  else group(ctx, { x: 0, y: 0, width, height }, (within) => paintQr(within, layer))
}

function paintQr(ctx: Canvas2D, layer: QrLayer): void {
  const code = qrCode(layer.value, layer.errorCorrection)
  ctx.fillStyle = layer.background
  ctx.fillRect(0, 0, layer.width, layer.height)
  if (code === undefined) return
  const square = qrSquare(layer)
  const moduleMm = square.width / (code.size + 2 * QUIET_ZONE_MODULES)
  ctx.translate(square.x + QUIET_ZONE_MODULES * moduleMm, square.y + QUIET_ZONE_MODULES * moduleMm)
  ctx.scale(moduleMm, moduleMm)
  ctx.fillStyle = layer.color
  // One path contains all modules, because hairlines would be visible between separately filled rectangles.
  ctx.beginPath()
  for (const { x, y, width, height } of code.dark) ctx.rect(x, y, width, height)
  ctx.fill()
}
