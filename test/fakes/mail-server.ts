import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface ReceivedMail {
  to: string[]
  /** The lines as they were sent, each with `\n`. */
  content: string
}

export interface MailServer {
  url: string
  received: ReceivedMail[]
  /** Number of recipients that the server rejected. */
  rejected(): number
  /** Rejects the next recipients for which `isRejected` returns true; by default none. */
  isRejected: (recipient: string) => boolean
  /** The response to a rejected recipient. */
  rejection: string
  /** Called before the server takes a mail. The client waits for the promise. */
  onMail: (mail: ReceivedMail) => Promise<unknown> | undefined
}

/** Starts an SMTP server (RFC 5321) that rejects the given number of mails at first. */
export async function startMailServer(t: TestContext, refusals = 0): Promise<MailServer> {
  const sockets = new Set<Socket>()
  let refusalsLeft = refusals
  let rejected = 0
  const fake: MailServer = {
    url: '',
    received: [],
    rejected: () => rejected,
    isRejected: () => false,
    rejection: '451 4.3.0 try again later',
    onMail: () => undefined,
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // A client that is killed resets its connection.
    socket.on('error', () => undefined)
    let mail: ReceivedMail = { to: [], content: '' }
    let inData = false
    let pending = ''
    const take = async (taken: ReceivedMail): Promise<void> => {
      await fake.onMail(taken)
      fake.received.push(taken)
      socket.write('250 taken\r\n')
    }
    const answer = (line: string): void => {
      if (inData && line === '.') {
        inData = false
        const taken = mail
        mail = { to: [], content: '' }
        take(taken).catch(() => socket.destroy())
      } else if (inData) mail.content += `${line.replace(/^\./, '')}\n`
      else if (line.startsWith('RCPT')) {
        const recipient = /<(.*)>/.exec(line)?.[1] ?? ''
        if (refusalsLeft > 0 || fake.isRejected(recipient)) {
          refusalsLeft -= 1
          rejected += 1
          socket.write(`${fake.rejection}\r\n`)
          return
        }
        mail.to.push(recipient)
        socket.write('250 ok\r\n')
      } else if (line === 'DATA') {
        inData = true
        socket.write('354 go on\r\n')
      } else if (line === 'QUIT') socket.end('221 bye\r\n')
      else socket.write('250 ok\r\n')
    }
    socket.write('220 mail.test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        answer(line)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  fake.url = `smtp://127.0.0.1:${address.port}`
  return fake
}

export interface MailPart {
  /** Names in lower case. */
  headers: Record<string, string>
  content: Buffer
}

/** Returns the headers of a mail, and its parts of all depths without those that only contain others (RFC 2046). */
export function readMail({ content }: ReceivedMail): { headers: Record<string, string>; parts: MailPart[] } {
  const [headers, body] = splitHead(content)
  return { headers, parts: partsOf(headers, body) }
}

function partsOf(headers: Record<string, string>, body: string): MailPart[] {
  const boundary = /^multipart\/.*boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) return [{ headers, content: decode(headers['content-transfer-encoding'], body) }]
  const inner = body.split(`--${boundary}`).slice(1, -1)
  return inner.flatMap((part) => partsOf(...splitHead(part.replace(/^\n/, ''))))
}

function splitHead(text: string): [headers: Record<string, string>, body: string] {
  const end = text.indexOf('\n\n')
  const lines = text
    .slice(0, end)
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 2),
  ])
  return [Object.fromEntries(headers), text.slice(end + 2)]
}

function decode(encoding: string | undefined, body: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body)
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
