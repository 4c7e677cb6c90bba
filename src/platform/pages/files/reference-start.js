// Sends requests to the server of the page, because the Content-Security-Policy allows no other server.
// Preselects Basic, because it needs no token. Scalar sends a placeholder for empty fields, which `onBeforeRequest`
// removes, so that the session cookie applies.
Scalar.createApiReference('#app', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This server' }],
  authentication: { preferredSecurityScheme: 'basicAuth' },
  persistAuth: false,
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  showOperationId: true,
  orderSchemaPropertiesBy: 'preserve',
  onBeforeRequest({ request }) {
    const sent = request.headers.get('authorization') ?? '';
    if (['Basic username:password', 'Bearer', 'Bearer YOUR_SECRET_TOKEN'].includes(sent.trim()))
      request.headers.delete('authorization');
  },
  metaData: { title: document.title },
});
