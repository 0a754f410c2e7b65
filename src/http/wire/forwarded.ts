import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP, isIPv6 } from 'node:net'

/** The address of the client: proxies in these networks are believed, the nearest one first. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies?: BlockList): string | undefined {
  let address = socket.remoteAddress
  if (!proxies) return address
  // Nearly every proxy adds to X-Forwarded-For, and passes on a Forwarded that a client made up.
  const hops = headers['x-forwarded-for'] === undefined ? forwardedFor(headers['forwarded'] ?? '') : listed(headers)
  while (address !== undefined && proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) {
    const hop = hops.pop()
    // A proxy may hide an address (`unknown`, `_secret`): what it hides is then its own.
    if (hop === undefined || !isIP(hop)) return address
    address = hop
  }
  return address
}

/** The members `for` of a Forwarded header (RFC 7239), without ports. */
function forwardedFor(header: string): string[] {
  const hops = header.split(',').map((hop) => /(?:^|;)\s*for="?(?:\[([^\]]*)\]|([^;":]*))/i.exec(hop))
  return hops.map((hop) => (hop?.[1] ?? hop?.[2] ?? '').trim())
}

function listed({ 'x-forwarded-for': header }: IncomingMessage['headers']): string[] {
  // Some gateways add the port.
  const bare = (hop: string) => hop.trim().replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
  return [header ?? []].flat().flatMap((one) => one.split(',').map(bare))
}
