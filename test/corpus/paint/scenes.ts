import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas'

/** Painters of images for the corpus. A person who looks at such an image recognizes faults of drawing at a glance. */
type Painter = (ctx: SKRSContext2D, width: number, height: number) => void

export function paint(width: number, height: number, painter: Painter): Canvas {
  const canvas = createCanvas(width, height)
  painter(canvas.getContext('2d'), width, height)
  return canvas
}

/** Returns a reproducible generator of pseudo-random numbers from 0 to 1 (a linear congruential generator). */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

type Stops = readonly (readonly [number, string])[]

function wash(ctx: SKRSContext2D, from: number, to: number, width: number, stops: Stops): void {
  const gradient = ctx.createLinearGradient(0, from, 0, to)
  for (const [at, color] of stops) gradient.addColorStop(at, color)
  ctx.fillStyle = gradient
  ctx.fillRect(0, from, width, to - from)
}

function glow(ctx: SKRSContext2D, x: number, y: number, radius: number, stops: Stops): void {
  const gradient = ctx.createRadialGradient(x, y, 0, x, y, radius)
  for (const [at, color] of stops) gradient.addColorStop(at, color)
  ctx.fillStyle = gradient
  ctx.beginPath()
  ctx.arc(x, y, radius, 0, 2 * Math.PI)
  ctx.fill()
}

export const lake: Painter = (ctx, width, height) => {
  const random = numbers(7)
  const horizon = height * 0.62
  wash(ctx, 0, horizon, width, [
    [0, '#1d3c6e'],
    [0.45, '#6f7fb0'],
    [0.75, '#f0b98a'],
    [1, '#ffe3b5'],
  ])
  glow(ctx, width * 0.68, horizon * 0.84, width * 0.34, [
    [0, 'rgba(255,250,225,1)'],
    [0.09, 'rgba(255,240,200,0.95)'],
    [0.12, 'rgba(255,226,160,0.5)'],
    [1, 'rgba(255,200,140,0)'],
  ])
  for (let range = 0; range < 5; range += 1) {
    const near = range / 4
    const waves = [1, 2.3, 3.9, 6.1].map((count, i) => ({ count, high: 0.12 / (i + 1), shift: random() * 9 }))
    ctx.fillStyle = `rgb(${150 - near * 128} ${140 - near * 105} ${165 - near * 105})`
    ctx.beginPath()
    ctx.moveTo(0, horizon)
    for (let x = 0; x <= width; x += 4) {
      const angle = (x / width) * 2 * Math.PI
      const ridge = waves.reduce((sum, { count, high, shift }) => sum + high * Math.sin(angle * count + shift), 0)
      ctx.lineTo(x, Math.min(horizon, horizon - height * (0.2 - near * 0.16 + ridge * (1 - near * 0.6) * 0.6)))
    }
    ctx.lineTo(width, horizon)
    ctx.fill()
  }
  wash(ctx, horizon, height, width, [
    [0, '#f3c89a'],
    [0.25, '#8d93b4'],
    [1, '#14294a'],
  ])
  for (let i = 0; i < 260; i += 1) {
    const depth = random() ** 1.6
    const x = width * 0.68 + (random() - 0.5) * width * (0.1 + depth * 0.5)
    ctx.fillStyle = `rgba(255,226,180,${0.28 * random()})`
    ctx.fillRect(x, horizon + depth * (height - horizon), (0.02 + random() * 0.06) * width, 1 + depth * height * 0.004)
  }
}

export const coffee: Painter = (ctx, width, height) => {
  const random = numbers(3)
  const boards = 6
  for (let i = 0; i < boards; i += 1) {
    const shade = 0.8 + random() * 0.3
    ctx.fillStyle = `rgb(${120 * shade} ${84 * shade} ${58 * shade})`
    ctx.fillRect(0, (i * height) / boards, width, height / boards - height * 0.004)
    for (let line = 0; line < 14; line += 1) {
      const y = ((i + random()) * height) / boards
      ctx.strokeStyle = `rgba(60,36,20,${0.08 + random() * 0.12})`
      ctx.lineWidth = 1 + random() * 3
      ctx.beginPath()
      ctx.moveTo(0, y)
      ctx.bezierCurveTo(width / 3, y + random() * 20 - 10, width / 1.5, y + random() * 20 - 10, width, y)
      ctx.stroke()
    }
  }
  const [x, y, r] = [width * 0.5, height * 0.5, Math.min(width, height) * 0.36]
  const rings: [number, Stops][] = [
    [
      1.22,
      [
        [0, 'rgba(0,0,0,0.5)'],
        [0.8, 'rgba(0,0,0,0.45)'],
        [1, 'rgba(0,0,0,0)'],
      ],
    ],
    [
      1.1,
      [
        [0, '#ffffff'],
        [0.86, '#e4e0da'],
        [0.9, '#f8f5f0'],
        [1, '#c9c3ba'],
      ],
    ],
    [
      0.72,
      [
        [0, '#f5f1ea'],
        [0.9, '#d8d2c8'],
        [1, '#fffdf8'],
      ],
    ],
    [
      0.62,
      [
        [0, '#8a5a33'],
        [0.55, '#6f4422'],
        [0.92, '#4a2a13'],
        [1, '#2b170a'],
      ],
    ],
  ]
  for (const [size, stops] of rings) glow(ctx, x, y, r * size, stops)
  // The following strokes are latte art in the shape of a leaf.
  ctx.strokeStyle = '#efd9b8'
  ctx.lineCap = 'round'
  for (let leaf = 0; leaf < 6; leaf += 1) {
    const top = y - r * 0.42 + leaf * r * 0.14
    const half = r * (0.1 + 0.27 * Math.sin(((leaf + 1) / 7) * Math.PI))
    ctx.lineWidth = r * 0.055
    ctx.beginPath()
    ctx.moveTo(x - half, top)
    ctx.quadraticCurveTo(x, top + half * 1.1, x + half, top)
    ctx.stroke()
  }
}

export const skyline: Painter = (ctx, width, height) => {
  const random = numbers(11)
  wash(ctx, 0, height, width, [
    [0, '#0b1030'],
    [0.6, '#3b2a6b'],
    [1, '#d9667b'],
  ])
  glow(ctx, width * 0.2, height * 0.22, height * 0.09, [
    [0, '#fff7da'],
    [0.9, '#f6e6b4'],
    [1, 'rgba(246,230,180,0)'],
  ])
  for (let row = 0; row < 3; row += 1) {
    for (let x = -0.02; x < 1; ) {
      const wide = 0.035 + random() * 0.06
      const high = (0.62 - row * 0.15) * (0.45 + random() * 0.55)
      const [left, top, w] = [x * width, height * (1 - high), wide * width]
      ctx.fillStyle = ['#2b2350', '#1c1838', '#0d0c20'][row] ?? '#0d0c20'
      ctx.fillRect(left, top, w * 0.94, height * high)
      ctx.fillStyle = '#ffd27a'
      for (let wy = top + height * 0.02; wy < height; wy += height * 0.03) {
        for (let wx = left + w * 0.12; wx < left + w * 0.8; wx += w * 0.2) {
          if (random() < 0.28 + row * 0.1) ctx.fillRect(wx, wy, w * 0.1, height * 0.013)
        }
      }
      x += wide
    }
  }
}

export const citrus: Painter = (ctx, width, height) => {
  wash(ctx, 0, height, width, [
    [0, '#bfe6d8'],
    [1, '#6cc4a8'],
  ])
  const slices = [
    [0.24, 0.34, 0.26, '#f28c1b', '#ffb347'],
    [0.66, 0.28, 0.2, '#d8d21f', '#f4ef78'],
    [0.52, 0.72, 0.24, '#e0492f', '#ff7a5a'],
    [0.88, 0.68, 0.17, '#5fae2e', '#a6dc63'],
    [0.12, 0.82, 0.14, '#d8d21f', '#f4ef78'],
  ] as const
  for (const [cx, cy, size, rind, flesh] of slices) {
    const [x, y, r] = [cx * width, cy * height, size * Math.min(width, height) * 1.3]
    glow(ctx, x + r * 0.05, y + r * 0.08, r * 1.06, [
      [0, 'rgba(20,70,60,0.5)'],
      [0.9, 'rgba(20,70,60,0.35)'],
      [1, 'rgba(20,70,60,0)'],
    ])
    glow(ctx, x, y, r, [
      [0, rind],
      [1, rind],
    ])
    glow(ctx, x, y, r * 0.92, [
      [0, '#fffbe8'],
      [1, '#fff6d8'],
    ])
    ctx.fillStyle = flesh
    for (let i = 0; i < 10; i += 1) {
      const from = (i * Math.PI) / 5 + 0.06
      ctx.beginPath()
      ctx.moveTo(x + r * 0.08 * Math.cos(from + 0.26), y + r * 0.08 * Math.sin(from + 0.26))
      ctx.arc(x, y, r * 0.84, from, from + Math.PI / 5 - 0.12)
      ctx.closePath()
      ctx.fill()
    }
  }
}

/** Paints dunes under a pale sky, for black-and-white images. */
export const dunes: Painter = (ctx, width, height) => {
  wash(ctx, 0, height, width, [
    [0, '#9a9a9a'],
    [0.5, '#e8e8e8'],
    [1, '#ffffff'],
  ])
  for (let i = 0; i < 5; i += 1) {
    const y = height * (0.42 + i * 0.12)
    const crest = width * (0.2 + ((i * 37) % 60) / 100)
    for (const [side, shade] of [
      [0, 205 - i * 12],
      [width, 70 + i * 6],
    ] as const) {
      ctx.fillStyle = `rgb(${shade} ${shade} ${shade})`
      ctx.beginPath()
      ctx.moveTo(crest, y - height * 0.14)
      ctx.quadraticCurveTo((crest + side) / 2, y - height * 0.02, side, y + height * 0.06)
      ctx.lineTo(side, height)
      ctx.lineTo(crest + (side === 0 ? 0 : -width * 0.1), height)
      ctx.closePath()
      ctx.fill()
    }
  }
}

/** Paints a wind rose whose north points up and whose east is red, so that every orientation looks different. */
export const windRose: Painter = (ctx, width, height) => {
  wash(ctx, 0, height, width, [
    [0, '#dfeaf5'],
    [1, '#f7efe0'],
  ])
  const [x, y, r] = [width / 2, height / 2, Math.min(width, height) * 0.42]
  ctx.strokeStyle = '#1f3a5f'
  ctx.lineWidth = r * 0.03
  ctx.beginPath()
  ctx.arc(x, y, r, 0, 2 * Math.PI)
  ctx.stroke()
  const tips = [
    [0, 0.95, '#1f3a5f'],
    [90, 0.7, '#c0392b'],
    [180, 0.5, '#7f8c8d'],
    [270, 0.5, '#b8c4cc'],
  ] as const
  for (const [degrees, length, color] of tips) {
    ctx.save()
    ctx.translate(x, y)
    ctx.rotate((degrees * Math.PI) / 180)
    ctx.fillStyle = color
    ctx.beginPath()
    ctx.moveTo(0, -r * length)
    ctx.lineTo(r * 0.16, 0)
    ctx.lineTo(-r * 0.16, 0)
    ctx.fill()
    ctx.restore()
  }
  // The disc at the top left marks this corner.
  ctx.fillStyle = '#27ae60'
  ctx.beginPath()
  ctx.arc(width * 0.1, height * 0.14, height * 0.08, 0, 2 * Math.PI)
  ctx.fill()
}

/** Paints a logo: a tree inside a ring, on a transparent background. */
export const treeLogo: Painter = (ctx, width, height) => {
  const [x, y, r] = [width / 2, height / 2, Math.min(width, height) * 0.46]
  ctx.strokeStyle = '#1f5c45'
  ctx.lineWidth = r * 0.07
  ctx.beginPath()
  ctx.arc(x, y, r, 0, 2 * Math.PI)
  ctx.stroke()
  ctx.fillStyle = '#1f5c45'
  for (const [top, half, base] of [
    [-0.7, 0.3, -0.25],
    [-0.45, 0.42, 0.1],
    [-0.15, 0.55, 0.5],
  ] as const) {
    ctx.beginPath()
    ctx.moveTo(x, y + r * top)
    ctx.lineTo(x + r * half, y + r * base)
    ctx.lineTo(x - r * half, y + r * base)
    ctx.fill()
  }
  ctx.fillRect(x - r * 0.07, y + r * 0.5, r * 0.14, r * 0.22)
}

/** Paints leaves with soft, half transparent edges, for images with an alpha channel. */
export const leaves: Painter = (ctx, width, height) => {
  const random = numbers(5)
  for (let i = 0; i < 26; i += 1) {
    ctx.save()
    ctx.translate(random() * width, random() * height)
    ctx.rotate(random() * 6.3)
    const size = (0.1 + random() * 0.12) * width
    ctx.globalAlpha = 0.35 + random() * 0.6
    ctx.fillStyle = ['#2f7d4f', '#5aa469', '#94c973', '#e0a458'][i % 4] ?? '#2f7d4f'
    ctx.beginPath()
    ctx.moveTo(-size, 0)
    ctx.quadraticCurveTo(0, -size * 0.55, size, 0)
    ctx.quadraticCurveTo(0, size * 0.55, -size, 0)
    ctx.fill()
    ctx.strokeStyle = 'rgba(255,255,255,0.6)'
    ctx.lineWidth = size * 0.03
    ctx.beginPath()
    ctx.moveTo(-size * 0.9, 0)
    ctx.lineTo(size * 0.9, 0)
    ctx.stroke()
    ctx.restore()
  }
}

/** Paints a swallow in four flat colours on a transparent background, for images with a palette. */
export const swallow: Painter = (ctx, width, height) => {
  ctx.scale(width / 100, height / 100)
  const parts = [
    ['#17324d', [5, 22, 48, 40, 92, 12, 62, 50, 40, 52]],
    ['#24527a', [40, 52, 62, 50, 78, 88, 58, 70, 52, 90, 46, 66]],
    ['#c8553d', [22, 40, 36, 38, 42, 52, 28, 50]],
    ['#f2e9dc', [34, 50, 46, 52, 48, 66, 38, 60]],
  ] as const
  for (const [color, [x, y, ...rest]] of parts) {
    ctx.fillStyle = color
    ctx.beginPath()
    ctx.moveTo(x, y)
    for (let i = 0; i < rest.length; i += 2) ctx.lineTo(rest[i] ?? 0, rest[i + 1] ?? 0)
    ctx.fill()
  }
}

/** Paints all hues, towards white and black, so that wrong colours are visible at once. */
export const spectrum: Painter = (ctx, width, height) => {
  const hues = ctx.createLinearGradient(0, 0, width, 0)
  for (let i = 0; i <= 12; i += 1) hues.addColorStop(i / 12, `hsl(${i * 30} 100% 50%)`)
  ctx.fillStyle = hues
  ctx.fillRect(0, 0, width, height)
  wash(ctx, 0, height / 2, width, [
    [0, 'rgba(255,255,255,1)'],
    [1, 'rgba(255,255,255,0)'],
  ])
  wash(ctx, height / 2, height, width, [
    [0, 'rgba(0,0,0,0)'],
    [1, 'rgba(0,0,0,1)'],
  ])
}
