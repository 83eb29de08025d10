import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startService } from './harness.ts'

interface ReceivedMail {
  to: string[]
  content: string
}

/** Starts an SMTP server (RFC 5321) that can reject the first mails. */
async function startMailServer(t: TestContext, refusals = 0) {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let refusalsLeft = refusals
  const server = createServer((socket) => {
    sockets.add(socket)
    let mail: ReceivedMail = { to: [], content: '' }
    let inData = false
    let pending = ''
    socket.write('220 mail.test ESMTP\r\n')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        if (inData && line === '.') {
          inData = false
          received.push(mail)
          mail = { to: [], content: '' }
          socket.write('250 taken\r\n')
        } else if (inData) mail.content += `${line}\n`
        else if (line.startsWith('RCPT') && refusalsLeft > 0) {
          refusalsLeft -= 1
          socket.write('451 try again later\r\n')
        } else if (line.startsWith('RCPT')) {
          mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '')
          socket.write('250 ok\r\n')
        } else if (line === 'DATA') {
          inData = true
          socket.write('354 go on\r\n')
        } else if (line === 'QUIT') socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
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
  return { url: `smtp://127.0.0.1:${address.port}`, received }
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('waited 10 s')
}

test('with a mail server, a job sends each mail to one recipient and then deletes it', async (t) => {
  const mailServer = await startMailServer(t)
  const service = await startService(t, { env: { PLATEN_SMTP_URL: mailServer.url } })
  service.startJobs()
  await service.request('POST', '/api/auth/register', {
    body: { email: 'ada@example.com', password: 'a quiet lake at dusk' },
  })
  await until(() => mailServer.received.length > 0)
  const [mail] = mailServer.received
  assert.deepEqual(mail?.to, ['ada@example.com'])
  // Quoted-printable breaks lines with "=" and writes "=" as "=3D".
  assert.match(mail?.content.replaceAll('=\n', '') ?? '', /http:\/\/platen\.localhost\/verify-email\?token=/)
  await until(async () => (await service.request('GET', `${service.origin}/dev/outbox`)).body.length === 0)
})

test('a mail server that rejects a mail does not fail the request, and the job retries', async (t) => {
  const mailServer = await startMailServer(t, 1)
  const service = await startService(t, { env: { PLATEN_SMTP_URL: mailServer.url } })
  service.startJobs()
  const answer = await service.request('POST', '/api/auth/register', {
    body: { email: 'ada@example.com', password: 'a quiet lake at dusk' },
  })
  assert.equal(answer.status, 202)
  await until(() => mailServer.received.length > 0)
})

test('the runner accepts every job definition', async (t) => {
  const service = await startService(t)
  service.startJobs()
  await service.close()
  assert.doesNotMatch(service.logLines(), /the job runner failed/)
})
