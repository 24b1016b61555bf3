// Listens to `/oauth2/revocations`. docs/feed.md has the rules that keep it safe: this file only shows how to listen.
package revocations

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"time"
)

func follow(ctx context.Context, url, client, secret string, take func(name string, data []byte)) {
	for cursor := ""; ctx.Err() == nil; time.Sleep(time.Second) {
		listening, silence := context.WithCancel(ctx)
		timer := time.AfterFunc(15*time.Second, silence)
		request, _ := http.NewRequestWithContext(listening, "GET", url+"/oauth2/revocations", nil)
		request.SetBasicAuth(client, secret)
		if cursor != "" {
			request.Header.Set("Last-Event-ID", cursor)
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			event := map[string]string{}
			lines := bufio.NewScanner(answer.Body)
			for answer.StatusCode == 200 && lines.Scan() {
				timer.Reset(15 * time.Second)
				if name, value, found := strings.Cut(lines.Text(), ": "); found {
					event[name] = value
				} else if lines.Text() == "" {
					if event["id"] != "" {
						cursor = event["id"]
						take(event["event"], []byte(event["data"]))
					}
					event = map[string]string{}
				}
			}
			answer.Body.Close()
		}
		timer.Stop()
		silence()
	}
}
