import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { CORAL, CREAM, disc, INK, OCHRE, paintTiles, TEAL } from './art.ts'
import { at, drawScene, fillLifted, type Pen, text } from './scene.ts'

export function drawShirt(): Canvas {
  return drawScene('#eff1f5', '#c7ccd9', (pen) => {
    at(pen, { x: 600, y: 450 }, () => {
      const outline = () => shirtPath(pen)
      fillLifted(pen, outline, '#fdfcf9', 0.9)
      pen.save()
      outline()
      pen.clip()
      paintFolds(pen)
      pen.restore()
      paintCollar(pen)
      paintShirtPrint(pen)
    })
  })
}

function shirtPath(pen: Pen): void {
  pen.beginPath()
  pen.moveTo(-88, -356)
  pen.bezierCurveTo(-150, -340, -205, -322, -236, -300)
  pen.bezierCurveTo(-290, -240, -332, -160, -362, -86)
  pen.bezierCurveTo(-330, -58, -286, -34, -240, -22)
  pen.bezierCurveTo(-228, -60, -218, -92, -204, -120)
  pen.bezierCurveTo(-196, 60, -204, 230, -208, 352)
  pen.bezierCurveTo(-90, 374, 90, 374, 208, 352)
  pen.bezierCurveTo(204, 230, 196, 60, 204, -120)
  pen.bezierCurveTo(218, -92, 228, -60, 240, -22)
  pen.bezierCurveTo(286, -34, 330, -58, 362, -86)
  pen.bezierCurveTo(332, -160, 290, -240, 236, -300)
  pen.bezierCurveTo(205, -322, 150, -340, 88, -356)
  pen.bezierCurveTo(60, -290, -60, -290, -88, -356)
}

/** Paints blurred strokes as the folds of the cloth. */
function paintFolds(pen: Pen): void {
  const folds: [from: [number, number], bend: [number, number], to: [number, number], alpha: number][] = [
    [[-204, -130], [-150, 60], [-205, 340], 0.14],
    [[204, -130], [160, 60], [205, 340], 0.2],
    [[-236, -300], [-205, -210], [-204, -110], 0.13],
    [[236, -300], [205, -210], [204, -110], 0.18],
    [[-190, 130], [-80, 210], [-60, 360], 0.09],
    [[190, 90], [90, 220], [110, 360], 0.1],
    [[-120, -110], [-90, -10], [-150, 60], 0.06],
  ]
  pen.filter = 'blur(15px)'
  pen.lineWidth = 26
  for (const [from, bend, to, alpha] of folds) {
    pen.strokeStyle = `rgba(70, 74, 100, ${alpha})`
    pen.beginPath()
    pen.moveTo(...from)
    pen.quadraticCurveTo(...bend, ...to)
    pen.stroke()
  }
  pen.filter = 'none'
}

function paintCollar(pen: Pen): void {
  pen.fillStyle = '#d3d4dc'
  pen.beginPath()
  pen.moveTo(-88, -356)
  pen.bezierCurveTo(-50, -338, 50, -338, 88, -356)
  pen.bezierCurveTo(60, -290, -60, -290, -88, -356)
  pen.fill()
  pen.strokeStyle = '#f1f0ee'
  pen.lineWidth = 15
  pen.beginPath()
  pen.moveTo(-92, -353)
  pen.bezierCurveTo(-62, -282, 62, -282, 92, -353)
  pen.stroke()
  pen.strokeStyle = 'rgba(70, 74, 100, 0.22)'
  pen.lineWidth = 1.5
  pen.beginPath()
  pen.moveTo(-99, -349)
  pen.bezierCurveTo(-66, -272, 66, -272, 99, -349)
  pen.stroke()
}

function paintShirtPrint(pen: Pen): void {
  pen.save()
  pen.globalAlpha = 0.95
  at(pen, { x: 0, y: -82 }, () => {
    pen.beginPath()
    pen.arc(0, 0, 98, 0, Math.PI * 2)
    pen.clip()
    disc(pen, { x: 0, y: 0, radius: 98, color: OCHRE })
    for (const [step, color] of [CORAL, '#c24f3c', TEAL, INK].entries()) {
      pen.fillStyle = color
      pen.beginPath()
      const y = -6 + step * 27
      pen.moveTo(-100, y)
      pen.bezierCurveTo(-50, y - 30, -20, y + 24, 20, y)
      pen.bezierCurveTo(55, y - 20, 80, y + 8, 100, y - 8)
      pen.lineTo(100, 100)
      pen.lineTo(-100, 100)
      pen.fill()
    }
  })
  text(pen, 'PACIFIC', { x: 2, y: 92, font: '60px Bebas', color: INK, align: 'center', spacing: 7 })
  text(pen, 'SURF CLUB · 1974', { x: 2, y: 122, font: '16px Inter Bold', color: CORAL, align: 'center', spacing: 3.4 })
  pen.restore()
}

const MUG = { width: 380, height: 430, depth: 44 }

export function drawMug(): Canvas {
  return drawScene('#f7f0e4', '#d9c9ad', (pen) => {
    at(pen, { x: 545, y: 455 }, () => {
      pen.scale(1.25, 1.25)
      paintGroundShadow(pen)
      paintHandle(pen)
      paintBody(pen)
      paintRim(pen)
    })
  })
}

function paintGroundShadow(pen: Pen): void {
  pen.filter = 'blur(26px)'
  pen.fillStyle = 'rgba(60, 42, 20, 0.34)'
  pen.beginPath()
  pen.ellipse(50, MUG.height / 2 + 22, 250, 42, 0, 0, Math.PI * 2)
  pen.fill()
  pen.filter = 'none'
}

function paintHandle(pen: Pen): void {
  const strokes: [width: number, color: string][] = [
    [52, '#d9d1c4'],
    [46, '#f2ede4'],
    [14, 'rgba(255, 255, 255, 0.75)'],
  ]
  for (const [lineWidth, strokeStyle] of strokes) {
    Object.assign(pen, { lineWidth, strokeStyle, lineCap: 'round' })
    pen.beginPath()
    pen.moveTo(170, -120)
    pen.bezierCurveTo(345, -150, 345, 140, 165, 112)
    pen.stroke()
  }
}

function bodyPath(pen: Pen): void {
  const { width, height, depth } = MUG
  pen.beginPath()
  pen.moveTo(-width / 2, -height / 2)
  pen.lineTo(-width / 2 + 8, height / 2 - 30)
  pen.bezierCurveTo(
    -width / 2 + 10,
    height / 2 + depth * 0.75,
    width / 2 - 10,
    height / 2 + depth * 0.75,
    width / 2 - 8,
    height / 2 - 30,
  )
  pen.lineTo(width / 2, -height / 2)
  pen.ellipse(0, -height / 2, width / 2, depth, 0, 0, Math.PI)
}

function paintBody(pen: Pen): void {
  pen.save()
  bodyPath(pen)
  pen.clip()
  pen.fillStyle = '#fbf8f2'
  pen.fillRect(-MUG.width, -MUG.height, MUG.width * 2, MUG.height * 2)
  paintWrap(pen)
  const shade = pen.createLinearGradient(-MUG.width / 2, 0, MUG.width / 2, 0)
  shade.addColorStop(0, 'rgba(60, 40, 20, 0.26)')
  shade.addColorStop(0.16, 'rgba(60, 40, 20, 0.05)')
  shade.addColorStop(0.3, 'rgba(255, 255, 255, 0.24)')
  shade.addColorStop(0.46, 'rgba(255, 255, 255, 0)')
  shade.addColorStop(1, 'rgba(60, 40, 20, 0.38)')
  pen.fillStyle = shade
  pen.fillRect(-MUG.width, -MUG.height, MUG.width * 2, MUG.height * 2)
  pen.restore()
}

/** Bends a flat pattern around the mug, column by column. */
function paintWrap(pen: Pen): void {
  const flat = createCanvas(640, 320)
  const print = flat.getContext('2d')
  paintTiles(print, { columns: 8, rows: 4, side: 80 })
  const radius = MUG.width / 2
  for (let x = -radius; x < radius; x += 1) {
    const angle = Math.asin(x / radius)
    const source = ((angle / Math.PI + 0.5) * (flat.width - 2)) | 0
    const drop = MUG.depth * Math.cos(angle)
    pen.drawImage(flat, source, 0, 1, flat.height, x, -MUG.height / 2 + 26 + drop, 1.6, MUG.height - 106)
  }
}

function paintRim(pen: Pen): void {
  const rim = (inset: number) => {
    pen.beginPath()
    pen.ellipse(0, -MUG.height / 2, MUG.width / 2 - inset, MUG.depth - inset * 0.5, 0, 0, Math.PI * 2)
  }
  pen.fillStyle = '#fffdf9'
  rim(0)
  pen.fill()
  const inside = pen.createLinearGradient(-MUG.width / 2, 0, MUG.width / 2, 0)
  inside.addColorStop(0, '#b9ab95')
  inside.addColorStop(0.55, '#e4dac8')
  inside.addColorStop(1, CREAM)
  pen.fillStyle = inside
  rim(12)
  pen.fill()
}
