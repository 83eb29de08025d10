import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A fake name server on loopback (RFC 1035, over UDP). */
export interface NameServer {
  /** The address of the server as `address:port`. */
  address: string
  /** The queried names in order, with the type of the query (1 for IPv4, 28 for IPv6). */
  questions: { name: string; type: number }[]
}

const TYPE_A = 1
const NO_SUCH_NAME = 3

/**
 * Starts the name server.
 * @param answer returns the IPv4 addresses of a name, undefined if the name does not exist, or `silent` for no response
 */
export async function startNameServer(
  t: TestContext,
  answer: (name: string) => readonly string[] | 'silent' | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: NameServer['questions'] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query)
    questions.push({ name, type })
    // Clients query both address types. Only queries for IPv4 call `answer`, so that it is called once per look-up.
    const found = type === TYPE_A ? answer(name) : []
    if (found === 'silent') return
    socket.send(answerTo(query, end, found), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => void socket.close())
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, questions }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(query: Buffer, questionEnd: number, addresses: readonly string[] | undefined): Buffer {
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (addresses === undefined ? NO_SUCH_NAME : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  const records = (addresses ?? []).map((address) => {
    // The record has the name as a reference to the question, type A, class IN, TTL 0, and four bytes of data.
    const record = Buffer.from('c00c00010001000000000004', 'hex')
    return Buffer.concat([record, Buffer.from(address.split('.').map(Number))])
  })
  return Buffer.concat([header, query.subarray(12, questionEnd), ...records])
}
