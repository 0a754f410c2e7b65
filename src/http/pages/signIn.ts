import type { Tokens } from '../../auth/tokens.js'
import { T } from '../../web/texts.js'
import { Content, respond } from '../wire/content.js'
import { createPage, html, modulesOf, type Page, type PageOptions, styleSheet } from './shell.js'

/** What a page needs to send a person to the identity provider, and to get a token with the code that comes back. */
export function createSignIn({ settings, provider }: Tokens): Page {
  return async (request) => {
    const { authorization, token, endSession } = await provider.knownEndpoints()
    const endpoints = { authorizationEndpoint: authorization, tokenEndpoint: token, endSessionEndpoint: endSession }
    const content = Content.json({ issuer: settings.issuer, ...settings.signIn, ...endpoints })
    return respond(request, content, { headers: { 'cache-control': 'no-store' } })
  }
}

/** Where the provider sends the browser back to. */
export function createSignedIn({ basePath, tokens }: PageOptions): Page {
  const page = createPage({ basePath, graphiql: false, demoKey: undefined, tokens }, () => ({
    title: T.signingIn,
    description: T.description,
    modules: modulesOf('signedIn/main.js'),
    styles: ['theme', 'base'].map(styleSheet),
    body: () => html`<noscript><p>${T.noScript} <a href="${basePath}/v1">${T.rest}</a>.</p></noscript>
`,
  }))
  return async (request) => {
    // Another instance may have sent the browser there: the policy must allow the token endpoint.
    if (!tokens?.provider.endpoints) await tokens?.provider.read()
    return page(request)
  }
}
