import { connect } from 'node:net'

/** Tells whether a program listens on a port of the loopback interface. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (listens: boolean) => () => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })
}
