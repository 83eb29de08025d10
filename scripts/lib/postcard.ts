import { createCanvas } from '@napi-rs/canvas'

/** Size in pixels of an A6 postcard with 3 mm bleed on each side at 300 dpi. */
const WIDTH = Math.round((154 / 25.4) * 300)
const HEIGHT = Math.round((111 / 25.4) * 300)

/** Returns a reproducible generator of pseudo-random numbers from 0 to 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Draws a JPEG that looks like a photo: hills above a lake, with film grain. */
export function makePhoto(): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(WIDTH, HEIGHT)
  const ctx = canvas.getContext('2d')
  const random = numbers(7)
  const horizon = HEIGHT * 0.62

  const sky = ctx.createLinearGradient(0, 0, 0, horizon)
  for (const [at, color] of [
    [0, '#1d3c6e'],
    [0.45, '#6f7fb0'],
    [0.75, '#f0b98a'],
    [1, '#ffe3b5'],
  ] as const)
    sky.addColorStop(at, color)
  ctx.fillStyle = sky
  ctx.fillRect(0, 0, WIDTH, horizon)

  const sun = ctx.createRadialGradient(WIDTH * 0.68, horizon * 0.86, 10, WIDTH * 0.68, horizon * 0.86, WIDTH * 0.4)
  sun.addColorStop(0, 'rgba(255,250,225,1)')
  sun.addColorStop(0.08, 'rgba(255,236,180,0.85)')
  sun.addColorStop(1, 'rgba(255,200,140,0)')
  ctx.fillStyle = sun
  ctx.fillRect(0, 0, WIDTH, horizon)

  for (let range = 0; range < 5; range += 1) drawHills(ctx, random, range, horizon)

  const water = ctx.createLinearGradient(0, horizon, 0, HEIGHT)
  for (const [at, color] of [
    [0, '#f3c89a'],
    [0.25, '#8d93b4'],
    [1, '#14294a'],
  ] as const)
    water.addColorStop(at, color)
  ctx.fillStyle = water
  ctx.fillRect(0, horizon, WIDTH, HEIGHT - horizon)
  drawRipples(ctx, random, horizon)
  addGrain(ctx, random)
  return new Uint8Array(canvas.toBuffer('image/jpeg', 90))
}

type Context = ReturnType<ReturnType<typeof createCanvas>['getContext']>

function drawHills(ctx: Context, random: () => number, range: number, horizon: number): void {
  const near = range / 4
  const waves = Array.from({ length: 7 }, (_, index) => ({
    length: (WIDTH / (0.7 + index * 1.3)) * (0.8 + random() * 0.4),
    height: (170 / (index + 1)) * (0.6 + random() * 0.8),
    shift: random() * 10,
  }))
  ctx.fillStyle = `rgb(${Math.round(150 - near * 128)} ${Math.round(140 - near * 105)} ${Math.round(165 - near * 105)})`
  ctx.beginPath()
  ctx.moveTo(0, horizon)
  for (let x = 0; x <= WIDTH; x += 2) {
    const ridge = waves.reduce(
      (sum, wave) => sum + Math.sin(x / (wave.length / 6.3) + wave.shift) * wave.height * 0.5,
      0,
    )
    ctx.lineTo(x, Math.min(horizon, horizon - 250 + near * 190 - ridge * (1 - near * 0.55) - random() * (2 + near * 7)))
  }
  ctx.lineTo(WIDTH, horizon)
  ctx.fill()
}

function drawRipples(ctx: Context, random: () => number, horizon: number): void {
  for (let index = 0; index < 2_600; index += 1) {
    const depth = random() ** 1.6
    const y = horizon + depth * (HEIGHT - horizon)
    const inSunlight = Math.exp(-(((random() - 0.5) * 3) ** 2))
    const x = random() < 0.55 ? WIDTH * 0.68 + (random() - 0.5) * WIDTH * (0.1 + depth * 0.5) : random() * WIDTH
    ctx.fillStyle =
      random() < 0.5 ? `rgba(255,226,180,${0.32 * inSunlight})` : `rgba(16,32,66,${0.22 * (1 - depth * 0.4)})`
    ctx.fillRect(x, y, (20 + random() * 110) * (0.3 + depth), 1 + depth * 3.5)
  }
}

function addGrain(ctx: Context, random: () => number): void {
  const image = ctx.getImageData(0, 0, WIDTH, HEIGHT)
  const { data } = image
  for (let index = 0; index < data.length; index += 4) {
    const grain = (random() + random() + random() - 1.5) * 16
    for (let channel = 0; channel < 3; channel += 1) data[index + channel] = (data[index + channel] ?? 0) + grain
  }
  ctx.putImageData(image, 0, 0)
}

/**
 * Returns the document of a two-sided A6 postcard. The front has a photo and a greeting in three scripts. The back has
 * text, lines for an address and a QR code.
 */
export function postcardDocument(assetId: string): object {
  return {
    version: 1,
    placements: [
      { printAreaId: 'front', layers: frontLayers(assetId) },
      { printAreaId: 'back', layers: BACK_LAYERS },
    ],
  }
}

function frontLayers(assetId: string): object[] {
  const greeting = { type: 'text', x: 10, width: 128, color: '#FFFFFF', align: 'center', verticalAlign: 'middle' }
  return [
    { id: 'photo', type: 'image', assetId, x: -3, y: -3, width: 154, height: 111, fit: 'cover' },
    {
      ...greeting,
      id: 'latin',
      y: 7,
      height: 15,
      text: 'Greetings from the lake',
      fontFamily: 'Inter',
      fontWeight: 700,
      fontSizePt: 26,
    },
    {
      ...greeting,
      id: 'arabic',
      y: 21,
      height: 10,
      text: 'تحيات من البحيرة',
      fontFamily: 'Noto Sans Arabic',
      fontSizePt: 18,
    },
    {
      ...greeting,
      id: 'devanagari',
      y: 31,
      height: 10,
      text: 'झील से शुभकामनाएँ',
      fontFamily: 'Noto Sans Devanagari',
      fontSizePt: 16,
    },
  ]
}

const addressLine = (index: number) => ({
  id: `line-${index}`,
  type: 'shape',
  shape: 'line',
  x: 84,
  y: 56 + index * 10,
  width: 54,
  height: 0,
  stroke: { color: '#5B6478', widthMm: 0.25 },
})

const BACK_LAYERS: object[] = [
  { id: 'paper', type: 'shape', shape: 'rect', x: -3, y: -3, width: 154, height: 111, fill: '#FFFDF7' },
  {
    id: 'heading',
    type: 'text',
    x: 8,
    y: 9,
    width: 62,
    height: 9,
    text: 'An evening by the water',
    fontFamily: 'Inter',
    fontWeight: 700,
    fontSizePt: 14,
    color: '#14294A',
  },
  {
    id: 'letter',
    type: 'text',
    x: 8,
    y: 20,
    width: 62,
    height: 52,
    text: 'The hills turned blue, then violet, and the last boats came in before the light was gone. We stayed until the stars stood over the ridge, and thought of you.\n\nΚαλησπέρα! Добрый вечер! Schöne Grüße, à bientôt.',
    fontFamily: 'Inter',
    fontSizePt: 9.5,
    lineHeight: 1.45,
    color: '#1F2937',
    align: 'justify',
  },
  {
    id: 'divider',
    type: 'shape',
    shape: 'line',
    x: 76,
    y: 10,
    width: 0,
    height: 85,
    stroke: { color: '#C9B48A', widthMm: 0.35, dashMm: [2, 1.5] },
  },
  {
    id: 'stamp',
    type: 'shape',
    shape: 'rect',
    x: 116,
    y: 8,
    width: 24,
    height: 28,
    cornerRadius: 2,
    stroke: { color: '#C9B48A', widthMm: 0.4 },
  },
  { id: 'sun', type: 'shape', shape: 'ellipse', x: 122, y: 14, width: 12, height: 12, fill: '#F0B98A' },
  {
    id: 'ridge',
    type: 'shape',
    shape: 'path',
    x: 118,
    y: 20,
    width: 20,
    height: 13,
    path: 'M0 13 L6 3 L10 8 L14 1 L20 13 Z',
    fill: '#14294A',
  },
  ...[0, 1, 2, 3].map(addressLine),
  {
    id: 'code',
    type: 'qr',
    x: 8,
    y: 76,
    width: 20,
    height: 20,
    value: 'https://example.com/lake',
    errorCorrection: 'M',
    color: '#14294A',
    background: '#FFFFFF',
  },
  {
    id: 'hint',
    type: 'text',
    x: 31,
    y: 82,
    width: 40,
    height: 8,
    text: 'See where we stood',
    fontFamily: 'Inter',
    fontStyle: 'italic',
    fontSizePt: 8,
    color: '#5B6478',
    verticalAlign: 'middle',
  },
]
