// Listens to `/oauth2/revocations`. docs/feed.md has the rules that keep it safe: this file only shows how to listen.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.HashMap;
import java.util.function.BiConsumer;

final class Revocations {
    static void follow(String url, String client, String secret, BiConsumer<String, String> take) throws InterruptedException {
        var http = HttpClient.newHttpClient();
        var basic = "Basic " + Base64.getEncoder().encodeToString((client + ":" + secret).getBytes(UTF_8));
        for (String cursor = null; ; Thread.sleep(1000)) {
            var request = HttpRequest.newBuilder(URI.create(url + "/oauth2/revocations")).header("Authorization", basic);
            if (cursor != null) request.header("Last-Event-ID", cursor);
            try {
                var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofLines());
                if (answer.statusCode() != 200) continue;
                var event = new HashMap<String, String>();
                // Note the time of each line elsewhere: who has heard none for 15 seconds does not know what has ended.
                for (var lines = answer.body().iterator(); lines.hasNext(); ) {
                    var line = lines.next();
                    var colon = line.indexOf(": ");
                    if (colon > 0) event.put(line.substring(0, colon), line.substring(colon + 2));
                    if (!line.isEmpty() || !event.containsKey("id")) continue;
                    cursor = event.get("id");
                    take.accept(event.get("event"), event.get("data"));
                    event.clear();
                }
            } catch (IOException | UncheckedIOException error) {
                // Again in a second.
            }
        }
    }
}
